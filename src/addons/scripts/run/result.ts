/** The result of a run, from how it ended and what it wrote; the same for processes and functions. */
import type { ReadMetrics } from '../metrics/read.ts'
import type { ReadPatches } from '../patches/read.ts'
import type { FailureReason, RunFailure, RunResult } from './types.ts'

export type Ended = Pick<RunResult, 'exit' | 'duration' | 'failure' | 'log'>

export interface Left {
  readonly metrics: ReadMetrics
  readonly patches: ReadPatches
  readonly answers: RunResult['answers']
  readonly valuesPatches: RunResult['valuesPatches']
}

export const noValuesPatches: RunResult['valuesPatches'] = { values: '', configValues: '' }

const nothing = {
  metrics: [],
  patches: [],
  answers: { admission: '', conversion: '' },
  valuesPatches: noValuesPatches,
} as const

/** Of a run that wrote nothing. */
export function resultWithout(ended: Ended): RunResult {
  return { ...nothing, ...ended }
}

/** After a failure only patches with `ignoreHookError` are applied. */
export function resultOf(ended: Ended, { metrics, patches, answers, valuesPatches }: Left): RunResult {
  if (ended.failure !== undefined) {
    const wanted = patches.operations.filter(({ ignoreHookError }) => ignoreHookError)
    return { ...resultWithout(ended), patches: wanted }
  }
  const errors = [...metrics.errors, ...patches.errors]
  if (errors.length > 0) return resultWithout({ ...ended, failure: failed('Output', errors.join('\n')) })
  return { ...ended, metrics: metrics.operations, patches: patches.operations, answers, valuesPatches }
}

export function failed(reason: FailureReason, message: string): RunFailure {
  return { reason, message }
}
