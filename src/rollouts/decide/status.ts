/**
 * The policy's conditions as kstatus, Flux, Helm and `kubectl wait` read them: Ready when nothing is to be done, Reconciling while a
 * rollout is under way, Stalled when a person has to do something.
 */
import { canonicalJson, type Instant } from '../../runtime/index.ts'
import { timeText } from '../ledger/index.ts'
import type { PolicyCondition, RolloutPolicy, RolloutPolicyStatus } from '../policy/types.ts'

import type { Proposal } from './decision.ts'

export interface Verdict {
  readonly state: 'ready' | 'reconciling' | 'stalled'
  readonly reason: string
  readonly message: string
}

export function statusWith(
  policy: RolloutPolicy,
  verdict: Verdict,
  change: Pick<RolloutPolicyStatus, 'rollout' | 'history'>,
  now: Instant,
): RolloutPolicyStatus {
  const generation = policy.metadata.generation ?? 0
  const { gate, template, rollout, history } = { ...policy.status, ...change }
  return {
    observedGeneration: generation,
    conditions: conditionsOf(policy, verdict, generation, now),
    ...(gate === undefined ? {} : { gate }),
    ...(template === undefined ? {} : { template }),
    ...(rollout === undefined ? {} : { rollout }),
    ...(history === undefined ? {} : { history }),
  }
}

/** Writes the status only when it says something new. */
export function settle(
  policy: RolloutPolicy,
  verdict: Verdict,
  now: Instant,
  change: Pick<RolloutPolicyStatus, 'rollout' | 'history'> = {},
): Proposal {
  const status = statusWith(policy, verdict, change, now)
  const isNews = canonicalJson(status) !== canonicalJson(policy.status ?? {})
  return { ...(isNews ? { ledger: status } : {}), why: verdict.message }
}

function conditionsOf(
  policy: RolloutPolicy,
  verdict: Verdict,
  observedGeneration: number,
  now: Instant,
): readonly PolicyCondition[] {
  const { state, reason, message } = verdict
  const wanted: readonly [PolicyCondition['type'], boolean][] = [
    ['Ready', state === 'ready'],
    ['Reconciling', state === 'reconciling'],
    ['Stalled', state === 'stalled'],
  ]
  return wanted.map(([type, holds]) => {
    const status = holds ? 'True' : 'False'
    const before = policy.status?.conditions?.find((condition) => condition.type === type)
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : timeText(now)
    return { type, status, reason, message, lastTransitionTime, observedGeneration }
  })
}
