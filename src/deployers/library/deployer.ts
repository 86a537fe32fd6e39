/**
 * The interface of a deployer: a type and up to four functions. The library does the rest of the Landscaper contract, from the
 * responsibility check to the final phase; a deployer never writes its deploy item itself.
 */
import type { EventInput, KubeClient } from '../../kube/index.ts'
import { CarabinerError, type Clock, type Instant, type Json, type Logger, type Runtime } from '../../runtime/index.ts'
import { ReconcileExtensionHooks } from '../hooks/registry.ts'
import type { Context, DeployItem, DeployItemStatus, EmbeddedResource, Target } from '../resources/types.ts'

/** Whether the work is done; without an outcome it is. */
export interface Outcome {
  /** The item stays `Progressing` or `Deleting` and the function is called again, without an error and without back-off. */
  readonly unfinished?: boolean
  /** Milliseconds until the next call. @default 5000 when unfinished */
  readonly requeueAfterMs?: number
}

export interface DeployClients {
  /** The cluster of the deploy items. */
  readonly landscaper: KubeClient
  /** The cluster the deployer runs in. */
  readonly host: KubeClient
  /**
   * The cluster the item installs into, from its Target or from its own kubeconfig. Rejects with a `LandscaperError` when there is neither
   * or its use is not allowed.
   */
  target(kubeconfig?: string): Promise<KubeClient>
}

/** Creates the clients that `DeployClients.target` returns; it may keep and share them. */
export interface TargetClients {
  clientFor(request: TargetRequest): Promise<KubeClient>
  close(): Promise<void>
}

export interface TargetRequest {
  readonly target: Target | undefined
  /** Base64, from the item's own configuration; it takes precedence over the target. */
  readonly kubeconfig: string | undefined
  readonly deployItem: DeployItem
  readonly landscaper: KubeClient
  readonly host: KubeClient
  readonly runtime: Runtime
  readonly signal: AbortSignal
}

export interface DeployContext<Configuration = EmbeddedResource | undefined> {
  /** The item with a copy of its status. The function may change the copy, and the library writes it. */
  readonly deployItem: DeployItem & { readonly status: DeployItemStatus }
  /** `spec.config`, decoded. */
  readonly config: Configuration
  readonly target: Target | undefined
  readonly lsContext: Context
  readonly clients: DeployClients
  readonly runtime: Runtime
  readonly clock: Clock
  readonly log: Logger
  /** Aborts at the deadline of the run, on an abort annotation, on a newer spec, and at shutdown: stop all work. */
  readonly signal: AbortSignal
  /** When the run ends at the latest; undefined without a timeout. */
  readonly deadline: Instant | undefined
  /** Reports progress as an event and a log line, without waiting. */
  report(progress: string): void
  event(input: EventInput): void
  /** Replaces the provider status in memory. */
  setProviderStatus(status: EmbeddedResource): void
  /** Writes the current status, so that a crash cannot lose it. */
  persist(): Promise<void>
  /** Writes the export secret and refers to it from the status. */
  exports(values: Readonly<Record<string, Json>>): Promise<void>
}

/** The version of this package; deployers of other packages set their own. */
const libraryVersion = 'v0.2.0'

type Awaitable<T> = T | Promise<T>
export type DeployFunction<Configuration> = (context: DeployContext<Configuration>) => Awaitable<Outcome | undefined>

export interface DeployerDefinition<Configuration = EmbeddedResource | undefined> {
  /** The `spec.type` of the items this deployer is for. */
  readonly type: string
  /** @default generic-deployer-library */
  readonly name?: string
  /** @default the version of this package */
  readonly version?: string
  /** Decodes `spec.config` for the functions; an error it throws is a configuration problem and fails the item. */
  readonly decode?: (config: EmbeddedResource | undefined) => Configuration
  /** Installs what the item describes. Called again after a crash, so it must be idempotent. */
  readonly reconcile: DeployFunction<Configuration>
  /** Uninstalls it; the finalizer is removed when the function is done. */
  readonly delete: DeployFunction<Configuration>
  /** Stops the work under way and cleans up. @default does nothing */
  readonly abort?: DeployFunction<Configuration>
  /** @default reconcile */
  readonly forceReconcile?: DeployFunction<Configuration>
  readonly hooks?: ReconcileExtensionHooks
}

/** A deployer definition with defaults filled in, for any type of configuration. */
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

/** Validates a definition and fills in defaults; reports all missing fields at once. */
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
  // Safe: the functions are only called with a configuration that this definition's decode returned.
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
