/** The dependencies of a deployer's controller that all deployers of a process share, and the options of each deployer. */
import type { EventRecorder, KubeClient } from '../../kube/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import { defaultHookTimeoutMs } from '../hooks/deadline.ts'
import type { HookRunner } from '../hooks/runner.ts'
import type { LandscaperCaches } from './caches.ts'
import type { Deployer, TargetClients } from './deployer.ts'
import type { DeployerInfo } from './preparation.ts'
import { checkSelectors, type TargetSelector } from './selectors.ts'
import { defaultErrorEscalationMs } from './status.ts'

export interface DeployerWorld {
  /** The cluster of the deploy items. */
  readonly client: KubeClient
  /** The cluster the deployers run in. */
  readonly host: KubeClient
  readonly runtime: Runtime
  readonly caches: LandscaperCaches
  readonly events: EventRecorder
  readonly targetClients: TargetClients
  /** Runs the hooks of configuration. @default none are configured */
  readonly hooks?: Pick<HookRunner, 'changes' | 'records'>
}

export interface DeployerOptions {
  /** Unique among deployers of the same type. @default name and start time */
  readonly identity?: string
  /** @default every target */
  readonly targetSelectors?: readonly TargetSelector[]
  /** Runs that work at the same time; a run gives its slot back after a second. @default 30 */
  readonly workers?: number
  /** Deletion takes precedence over abort and force-reconcile, as in later Landscapers. @default false */
  readonly deletionFirst?: boolean
  /** Reconciles items of every type, so that hooks can claim them. @default false */
  readonly watchAllTypes?: boolean
  /** How long the same operation may fail before the item fails. @default 5 minutes */
  readonly errorEscalationMs?: number
  /** How long a run may take without spec.timeout; 0 for no limit. @default 10 minutes */
  readonly progressingMs?: number
  /** How long a hook that is a function may take; then it is abandoned, and the reconcile fails. @default 5 minutes */
  readonly hookTimeoutMs?: number
}

/** A deployer and its options with defaults filled in. */
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
  readonly hookTimeoutMs: number
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
    // The Landscaper charts also use 30.
    workers: options.workers ?? 30,
    deletionFirst: options.deletionFirst ?? false,
    watchAllTypes: options.watchAllTypes ?? false,
    errorEscalationMs: options.errorEscalationMs ?? defaultErrorEscalationMs,
    progressingMs: options.progressingMs ?? 10 * 60_000,
    hookTimeoutMs: options.hookTimeoutMs ?? defaultHookTimeoutMs,
  }
}
