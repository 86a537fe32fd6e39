/**
 * What a deployer is to the library: a type and up to four functions. Everything else the contract asks for, from responsibility to the
 * final phase, is the library's work; a deployer never writes its deploy item.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import type { EventInput } from '../../kube/events/event.ts'
import type { Clock, Instant } from '../../runtime/clock.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import type { Json } from '../../runtime/json.ts'
import type { Logger } from '../../runtime/log.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { ReconcileExtensionHooks } from '../hooks/registry.ts'
import type { Context, DeployItem, DeployItemStatus, EmbeddedResource, Target } from '../resources/types.ts'

/** Nothing, or what is left to do: absence means that the work is done. */
export interface Outcome {
  /** Not done yet: the item stays `Progressing` or `Deleting` and the function is called again. No error, no back-off. */
  readonly unfinished?: boolean
  /** Milliseconds until then. @default 5000 when unfinished */
  readonly requeueAfterMs?: number
}

export interface DeployClients {
  /** The cluster the deploy items live in. */
  readonly landscaper: KubeClient
  /** The cluster the deployer itself runs in. */
  readonly host: KubeClient
  /**
   * The cluster the item installs into, from the target or from a kubeconfig of the item's own. Rejects with a `LandscaperError` when
   * there is none or it may not be used.
   */
  target(kubeconfig?: string): Promise<KubeClient>
}

/** Makes the clients that `DeployClients.target` hands out; it may keep and share them. */
export interface TargetClients {
  clientFor(request: TargetRequest): Promise<KubeClient>
  close(): Promise<void>
}

export interface TargetRequest {
  readonly target: Target | undefined
  /** Base64, of the item's own configuration; wins over the target. */
  readonly kubeconfig: string | undefined
  readonly deployItem: DeployItem
  readonly landscaper: KubeClient
  readonly host: KubeClient
  readonly runtime: Runtime
  readonly signal: AbortSignal
}

export interface DeployContext<Configuration = EmbeddedResource | undefined> {
  /** The item with a status of its own that may be changed; whatever is left in it is written by the library. */
  readonly deployItem: DeployItem & { readonly status: DeployItemStatus }
  /** `spec.config`, decoded. */
  readonly config: Configuration
  readonly target: Target | undefined
  readonly lsContext: Context
  readonly clients: DeployClients
  readonly runtime: Runtime
  readonly clock: Clock
  readonly log: Logger
  /** Aborts at the deadline of the run, on an abort annotation, on a newer spec, and at shutdown: let go of everything. */
  readonly signal: AbortSignal
  /** When the run is over at the latest; undefined without a timeout. */
  readonly deadline: Instant | undefined
  /** Tells people how far the work is: an event and a log line. Never waits. */
  report(progress: string): void
  event(input: EventInput): void
  /** Puts a provider status in place, in memory. */
  setProviderStatus(status: EmbeddedResource): void
  /** Writes the status as it is in memory now, so that a crash cannot lose it. */
  persist(): Promise<void>
  /** Writes the export secret and refers to it from the status. */
  exports(values: Readonly<Record<string, Json>>): Promise<void>
}

/** Of this package; a deployer of another package names its own. */
const libraryVersion = 'v0.1.0'

type Awaitable<T> = T | Promise<T>
export type DeployFunction<Configuration> = (context: DeployContext<Configuration>) => Awaitable<Outcome | undefined>

export interface DeployerDefinition<Configuration = EmbeddedResource | undefined> {
  /** The `spec.type` of the items this deployer is for. */
  readonly type: string
  /** @default generic-deployer-library */
  readonly name?: string
  /** @default the version of this package */
  readonly version?: string
  /** Turns `spec.config` into what the functions work with; what it throws is a configuration problem and fails the item. */
  readonly decode?: (config: EmbeddedResource | undefined) => Configuration
  /** Brings what the item describes into being. Called again after a crash, so that it must find what it did before. */
  readonly reconcile: DeployFunction<Configuration>
  /** Takes it away again; the finalizer goes when nothing is left to do. */
  readonly delete: DeployFunction<Configuration>
  /** Stops what is under way and cleans up. @default nothing to clean up */
  readonly abort?: DeployFunction<Configuration>
  /** @default reconcile */
  readonly forceReconcile?: DeployFunction<Configuration>
  readonly hooks?: ReconcileExtensionHooks
}

/** A deployer with everything given that the definition may leave out, for any configuration. */
export interface Deployer {
  readonly type: string
  readonly name: string
  readonly version: string
  readonly decode: (config: EmbeddedResource | undefined) => unknown
  readonly reconcile: DeployFunction<unknown>
  readonly delete: DeployFunction<unknown>
  readonly abort: DeployFunction<unknown>
  readonly forceReconcile: DeployFunction<unknown>
  readonly hooks: ReconcileExtensionHooks
}

const defaultName = 'generic-deployer-library'

/** Checks and completes a definition; everything that is missing is reported together. */
export function defineDeployer<Configuration = EmbeddedResource | undefined>(
  definition: DeployerDefinition<Configuration>,
): Deployer {
  const missing = [
    typeof definition.type === 'string' && definition.type !== '' ? undefined : 'type',
    ...(['reconcile', 'delete'] as const).map((name) => (typeof definition[name] === 'function' ? undefined : name)),
  ].filter((name) => name !== undefined)
  if (missing.length > 0)
    throw new CarabinerError(
      'CRB_DEPLOYER_INVALID',
      `deployer ${definition.name ?? defaultName}: ${missing.join(', ')} missing`,
    )
  const { type, name = defaultName, version = libraryVersion, reconcile, forceReconcile = reconcile } = definition
  // The functions are only ever given what this definition's own decode returned.
  const plain = (call: DeployFunction<Configuration>) => call as DeployFunction<unknown>
  return {
    type,
    name,
    version,
    decode: definition.decode ?? ((config) => config),
    reconcile: plain(reconcile),
    delete: plain(definition.delete),
    abort: plain(definition.abort ?? (() => undefined)),
    forceReconcile: plain(forceReconcile),
    hooks: definition.hooks ?? new ReconcileExtensionHooks(),
  }
}
