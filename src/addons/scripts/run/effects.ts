/**
 * Does what a run asked for, in the promised order: metrics, then objects. Values come after both and belong to the modules.
 */
import type { Labels } from '../../../runtime/metrics.ts'
import type { HookMetrics } from '../metrics/registry.ts'
import type { ObjectPatcher } from '../patches/patcher.ts'
import type { RunFailure, RunResult } from './types.ts'

export interface Effects {
  readonly metrics: HookMetrics
  readonly patcher: ObjectPatcher
}

/**
 * `owner`: labels of the hook's metrics. Returns why the run counts as failed: its own failure first, whatever came of the rest.
 */
export async function applyEffects(
  { metrics, patcher }: Effects,
  { metrics: measured, patches, failure }: RunResult,
  owner: Labels,
  signal: AbortSignal,
): Promise<RunFailure | undefined> {
  const problems = [...metrics.apply(measured, owner), ...(await patcher.apply(patches, signal))]
  if (problems.length === 0) return failure
  const message = problems.join('\n')
  return failure === undefined
    ? { reason: 'Effects', message }
    : { ...failure, message: `${failure.message}\n${message}` }
}
