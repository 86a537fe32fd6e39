/** Combines the results of several hooks into one. Results that were passed in are never changed or returned: the combined one is a copy. */
import type { HookResult, HookType } from './registry.ts'

/** A result with every field set. */
export interface Aggregated extends HookResult {
  readonly reconcileResult: { readonly requeue: boolean; readonly requeueAfterMs: number }
  readonly abortReconcile: boolean
}

type OptionalResult = HookResult | null | undefined

/** How many hooks have to abort for the combined result to abort. */
export type AbortRule = 'any aborts' | 'all abort'

/** The result before any hook has run. */
export const defaultResult: Aggregated = {
  reconcileResult: { requeue: false, requeueAfterMs: 0 },
  abortReconcile: false,
}

/** Aborts if any hook aborts. */
export function aggregateHookResults(...results: readonly OptionalResult[]): Aggregated | undefined {
  return combine(results, 'any aborts')
}

/** Aborts only if all hooks abort: one that does not forces the reconcile to continue. */
export function aggregateHookResultsWithInvertedAbortPriority(
  ...results: readonly OptionalResult[]
): Aggregated | undefined {
  return combine(results, 'all abort')
}

/** At these two points, not to abort is a decision of its own: to be responsible, and to reconcile. */
export function abortRuleOf(type: HookType): AbortRule {
  return type === 'DuringResponsibilityCheck' || type === 'ShouldReconcile' ? 'all abort' : 'any aborts'
}

function combine(results: readonly OptionalResult[], rule: AbortRule): Aggregated | undefined {
  let sum: Aggregated | undefined
  for (const result of results) if (result) sum = sum === undefined ? copy(result) : merge(sum, result, rule)
  return sum
}

/** A single result is not normalized: it may have both requeue and requeueAfter. */
export function copy({ reconcileResult, abortReconcile = false }: HookResult): Aggregated {
  const { requeue = false, requeueAfterMs = 0 } = reconcileResult ?? {}
  return { reconcileResult: { requeue, requeueAfterMs: Math.max(0, requeueAfterMs) }, abortReconcile }
}

export function merge(sum: Aggregated, result: HookResult, rule: AbortRule): Aggregated {
  const { requeue = false, requeueAfterMs = 0 } = result.reconcileResult ?? {}
  const abort = result.abortReconcile ?? false
  const requeues = sum.reconcileResult.requeue || requeue
  return {
    reconcileResult: {
      requeue: requeues,
      requeueAfterMs: requeues ? 0 : shorterDelay(sum.reconcileResult.requeueAfterMs, requeueAfterMs),
    },
    abortReconcile: rule === 'all abort' ? sum.abortReconcile && abort : sum.abortReconcile || abort,
  }
}

/** The smaller of those above 0. */
function shorterDelay(one: number, other: number): number {
  if (one <= 0) return Math.max(0, other)
  return other <= 0 ? one : Math.min(one, other)
}
