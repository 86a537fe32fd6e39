/** Applies the results of a run in the documented order: metrics, then objects, then values. */
import type { Labels } from '../../../runtime/index.ts'
import type { HookMetrics } from '../metrics/registry.ts'
import type { ObjectPatcher } from '../patches/patcher.ts'
import { failed } from './result.ts'
import type { RunFailure, RunResult } from './types.ts'

export interface Effects {
  readonly metrics: HookMetrics
  readonly patcher: ObjectPatcher
}

/** `owner`: labels of the hook's metrics. Returns why the run counts as failed: its own failure first, then failed effects. */
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

/** Passes values patches on when everything else of the run succeeded. A refused patch makes the run a failure. */
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
