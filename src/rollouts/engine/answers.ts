/**
 * What people tell the engine by annotations of the policy: approvals, and the wish to try again after an abort. An answer that no
 * question waits for any more is taken away, found by looking like everything else.
 */
import { approvalAnnotation, approvalPrefix } from '../../hooks/executors/approval.ts'
import type { Instant } from '../../runtime/clock.ts'
import { retryAnnotation } from '../labels.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { HookRecord, Ledger, RolloutPolicy } from '../policy/types.ts'
import { statusWith } from './conditions.ts'
import type { Decision, Write } from './decision.ts'
import { isActive } from './ledger.ts'

/** Whether somebody wants the ended rollout to go on. */
export function isRetryWanted({ metadata, status }: RolloutPolicy): boolean {
  const ledger = status?.rollout
  return (
    ledger?.phase === 'Aborted' && ledger.endedAt !== undefined && metadata.annotations?.[retryAnnotation] === ledger.id
  )
}

/** The rollout goes on where it was aborted: what succeeded stays done, everything else gets another attempt. */
export function retry(policy: RolloutPolicy, { hooks }: CompiledPolicy, ledger: Ledger, now: Instant): Decision {
  const { endedAt: _, message: __, ...rest } = ledger
  const forAbort = new Set(hooks.filter(({ moment }) => moment.kind === 'aborted').map(({ name }) => name))
  const again = ({ name, point, attempts }: HookRecord): HookRecord => ({ name, point, attempts, state: 'Pending' })
  const rollout: Ledger = {
    ...rest,
    phase: 'Pending',
    hooks: ledger.hooks.map((record) =>
      record.state === 'Failed' || record.state === 'Cancelled' || forAbort.has(record.name) ? again(record) : record,
    ),
  }
  const message = `${ledger.type.toLowerCase()} to ${ledger.to} is tried again`
  const status = statusWith(policy, { state: 'reconciling', reason: 'Retried', message }, { rollout }, now)
  const event: Write = { kind: 'event', type: 'Normal', reason: 'RolloutRetried', message }
  return { writes: [{ kind: 'status', status }, event], why: message }
}

export function spentAnswers(policy: RolloutPolicy): readonly Write[] {
  const ledger = policy.status?.rollout
  const open = new Set(isRetryWanted(policy) ? [retryAnnotation] : [])
  if (isActive(ledger)) {
    for (const { name, attempts, state } of ledger.hooks)
      if (state === 'Running') open.add(approvalAnnotation({ lifecycle: ledger.id, hook: name, attempt: attempts }))
  }
  const spent = Object.keys(policy.metadata.annotations ?? {}).filter(
    (name) => (name === retryAnnotation || name.startsWith(approvalPrefix)) && !open.has(name),
  )
  return spent.length === 0 ? [] : [{ kind: 'forget-answers', annotations: spent }]
}
