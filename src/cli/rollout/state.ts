/**
 * The state of a policy in one word: the reason of the condition that is true, which is named after the situation. `kubectl get`, `status`,
 * `watch` and `get` show the same word.
 */
import type { HookRecord, HookState, PolicyCondition, RolloutPolicy } from '../../rollouts/index.ts'
import type { Paint } from '../terminal/paint.ts'

/** The one condition that is true; undefined before an operator has seen the policy. */
export function conditionOf({ status }: RolloutPolicy): PolicyCondition | undefined {
  return status?.conditions?.find(({ status: is }) => is === 'True')
}

export function stateOf(policy: RolloutPolicy): string {
  return conditionOf(policy)?.reason ?? 'Unknown'
}

export function messageOf(policy: RolloutPolicy): string | undefined {
  return conditionOf(policy)?.message
}

/** At rest, but hooks do not run: neither good nor bad. */
const hooksAreOff: ReadonlySet<string> = new Set(['Suspended', 'Released', 'Cancelled'])

export function stateColour(policy: RolloutPolicy, { green, red, yellow }: Paint): (text: string) => string {
  const { type, reason = '' } = conditionOf(policy) ?? {}
  if (type === 'Stalled') return red
  return type === 'Ready' && !hooksAreOff.has(reason) ? green : yellow
}

/** A change is to be made, or an annotation answered, and the operator still says that there is nothing to do. */
export function isUnseen(policy: RolloutPolicy): boolean {
  return conditionOf(policy)?.type !== 'Reconciling'
}

/** In a rollout that is over, a hook that waited for its turn did not run, and one that waited for another attempt has failed. */
export function hookState(
  { state, attempts }: Pick<HookRecord, 'state' | 'attempts'>,
  { isOver }: { readonly isOver: boolean },
): HookState | 'NotRun' {
  if (!isOver || state !== 'Pending') return state
  return attempts === 0 ? 'NotRun' : 'Failed'
}
