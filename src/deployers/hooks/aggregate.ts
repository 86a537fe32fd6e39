/**
 * Several hook results made one. Nothing that was given is ever changed or handed on: the answer is always a copy.
 */
import type { HookResult, HookType } from './registry.ts'

/** A result without gaps. */
export interface Aggregated extends HookResult {
  readonly reconcileResult: { readonly requeue: boolean; readonly requeueAfterMs: number }
  readonly abortReconcile: boolean
}

type Given = HookResult | null | undefined

/** What a reconcile starts with. */
export const defaultResult: Aggregated = {
  reconcileResult: { requeue: false, requeueAfterMs: 0 },
  abortReconcile: false,
}

/** One that wants to abort is enough. */
export function aggregateHookResults(...results: readonly Given[]): Aggregated | undefined {
  return fold(results, false)
}

/** All must want to abort: one that does not enforces going on. */
export function aggregateHookResultsWithInvertedAbortPriority(...results: readonly Given[]): Aggregated | undefined {
  return fold(results, true)
}

/** For these two, not aborting is a decision of its own. */
export function isInverted(type: HookType): boolean {
  return type === 'DuringResponsibilityCheck' || type === 'ShouldReconcile'
}

function fold(results: readonly Given[], inverted: boolean): Aggregated | undefined {
  let sum: Aggregated | undefined
  for (const result of results) if (result) sum = sum === undefined ? copy(result) : merge(sum, result, inverted)
  return sum
}

/** A lone result is not made sense of: its requeueAfter stays beside its requeue. */
export function copy({ reconcileResult, abortReconcile = false }: HookResult): Aggregated {
  const { requeue = false, requeueAfterMs = 0 } = reconcileResult ?? {}
  return { reconcileResult: { requeue, requeueAfterMs: Math.max(0, requeueAfterMs) }, abortReconcile }
}

export function merge(sum: Aggregated, result: HookResult, inverted: boolean): Aggregated {
  const { requeue = false, requeueAfterMs = 0 } = result.reconcileResult ?? {}
  const abort = result.abortReconcile ?? false
  const comesBack = sum.reconcileResult.requeue || requeue
  return {
    reconcileResult: {
      requeue: comesBack,
      requeueAfterMs: comesBack ? 0 : sooner(sum.reconcileResult.requeueAfterMs, requeueAfterMs),
    },
    abortReconcile: inverted ? sum.abortReconcile && abort : sum.abortReconcile || abort,
  }
}

/** The smaller one of those above zero. */
function sooner(one: number, other: number): number {
  if (one <= 0) return Math.max(0, other)
  return other <= 0 ? one : Math.min(one, other)
}
