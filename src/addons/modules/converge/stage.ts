/** What converging works with: the engine that runs hooks, the parts that decide and release, and what is counted. */
import type { JsonObject } from '../../../runtime/json.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Hook } from '../../scripts/hook.ts'
import type { Conducted } from '../../scripts/index.ts'
import type { Module } from '../discovery/module.ts'
import type { Decision } from '../enabled/decide.ts'
import type { ModuleHelm } from '../helm/helm.ts'
import type { Member } from './member.ts'
import type { ModuleMetrics } from './metrics.ts'

export interface Stage {
  readonly runtime: Runtime
  readonly engine: Conducted
  readonly metrics: ModuleMetrics
  /** In the order of their runs. */
  readonly members: readonly Member[]
  /** In the order of their names. */
  readonly globalHooks: readonly Hook[]
  readonly helm: Pick<ModuleHelm, 'releases' | 'install' | 'uninstall' | 'purge'>
  /** A release that is left alone, whatever it looks like. */
  readonly ignoredRelease: string | undefined
  /** Which modules are on, in order, by flags and scripts as they are now. */
  decide(signal: AbortSignal): Promise<readonly Decision[]>
  /** What the release of the module is made with. */
  valuesOf(module: Module): JsonObject
  /** From now on hooks see these modules as enabled. */
  enabled(names: readonly string[]): void
  /** A module was switched off: it will begin anew. */
  forget(module: Module): void
}
