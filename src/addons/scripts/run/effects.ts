/**
 * Does what a run asked for, in the promised order: metrics, then objects, then values, which somebody else owns.
 */
import type { Labels } from '../../../runtime/metrics.ts'
import type { HookMetrics } from '../metrics/registry.ts'
import type { ObjectPatcher } from '../patches/patcher.ts'
import { failed } from './result.ts'
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

/** Hands values patches to their owner, of a run that was successful in everything else. Refused ones make the run a failure. */
export async function keepValues(
  { failure, valuesPatches }: RunResult,
  keep: (patches: RunResult['valuesPatches']) => Promise<void>,
): Promise<RunFailure | undefined> {
  if (failure !== undefined || (valuesPatches.values === '' && valuesPatches.configValues === '')) return failure
  try {
    await keep(valuesPatches)
    return undefined
  } catch (error) {
    return failed('Effects', error instanceof Error ? error.message : String(error))
  }
}
