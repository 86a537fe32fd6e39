/** The dependencies of converging. */
import type { JsonObject, Runtime } from '../../../runtime/index.ts'
import type { Hook } from '../../scripts/hook.ts'
import type { EngineControl } from '../../scripts/index.ts'
import type { Module } from '../discovery/module.ts'
import type { Decision } from '../enabled/decide.ts'
import type { ModuleHelm } from '../helm/helm.ts'
import type { Member } from './member.ts'
import type { ModuleMetrics } from './metrics.ts'

export interface ConvergeDependencies {
  readonly runtime: Runtime
  readonly engine: EngineControl
  readonly metrics: ModuleMetrics
  /** In the order in which they run. */
  readonly members: readonly Member[]
  /** Ordered by name. */
  readonly globalHooks: readonly Hook[]
  readonly helm: Pick<ModuleHelm, 'releases' | 'install' | 'uninstall' | 'purge'>
  /** A release that is never removed. */
  readonly ignoredRelease: string | undefined
  /** Decides which modules are enabled, by the current flags and scripts. */
  decide(signal: AbortSignal): Promise<readonly Decision[]>
  /** The values of the module's release. */
  valuesOf(module: Module): JsonObject
  /** Sets the enabled modules that hooks see. */
  setEnabled(names: readonly string[]): void
  /** Drops the state of a disabled module. */
  forget(module: Module): void
}
