/** What a deployer's controller works with: shared by all deployers of a process, except for what belongs to one of them. */
import type { KubeClient } from '../../kube/client/client.ts'
import type { EventRecorder } from '../../kube/events/event.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { LandscaperCaches } from './caches.ts'
import type { Deployer, TargetClients } from './deployer.ts'
import { defaultErrorEscalationMs } from './ending.ts'
import type { DeployerInfo } from './preparation.ts'
import { checkSelectors, type TargetSelector } from './selectors.ts'

export interface DeployerWorld {
  /** The cluster the items live in. */
  readonly client: KubeClient
  /** The cluster the deployers run in. */
  readonly host: KubeClient
  readonly runtime: Runtime
  readonly caches: LandscaperCaches
  readonly events: EventRecorder
  readonly targetClients: TargetClients
}

export interface DeployerOptions {
  /** Unique among deployers of the same type. @default name and time of the start */
  readonly identity?: string
  /** @default every target */
  readonly targetSelectors?: readonly TargetSelector[]
  /** Runs that begin at the same time; one that waits gives its place away after a second. @default 30 */
  readonly workers?: number
  /** Has deletion win over abort and force-reconcile, as later landscapers have it. @default false */
  readonly deletionFirst?: boolean
  /** Looks at items of every type, so that hooks can claim them. @default false */
  readonly watchAllTypes?: boolean
  /** How long the same operation may fail before the item does. @default 5 minutes */
  readonly errorEscalationMs?: number
  /** How long a run may take when the item does not say; 0 for ever. @default 10 minutes */
  readonly progressingMs?: number
}

/** A deployer and its options with nothing left out. */
export interface CompiledDeployer {
  readonly deployer: Deployer
  readonly info: DeployerInfo
  readonly type: string
  readonly targetSelectors: readonly TargetSelector[]
  readonly workers: number
  readonly deletionFirst: boolean
  readonly watchAllTypes: boolean
  readonly errorEscalationMs: number
  readonly progressingMs: number
}

export function compileDeployer(deployer: Deployer, runtime: Runtime, options: DeployerOptions = {}): CompiledDeployer {
  const { type, name, version } = deployer
  const { targetSelectors = [] } = options
  checkSelectors(targetSelectors)
  deployer.hooks.freeze()
  return {
    deployer,
    type,
    info: { name, version, identity: options.identity ?? `${name}-${Math.floor(runtime.clock.now() / 1000)}` },
    targetSelectors,
    // Thirty is what the landscaper's own charts give a deployer.
    workers: options.workers ?? 30,
    deletionFirst: options.deletionFirst ?? false,
    watchAllTypes: options.watchAllTypes ?? false,
    errorEscalationMs: options.errorEscalationMs ?? defaultErrorEscalationMs,
    progressingMs: options.progressingMs ?? 10 * 60_000,
  }
}
