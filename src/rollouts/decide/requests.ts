/**
 * What people tell the engine by annotations of the policy: approvals, and the wish to abort a rollout, to try it again or to take it
 * back. An answer that no question waits for any more is taken away, found by looking like everything else.
 */
import { approvalAnnotation, approvalPrefix } from '../../hooks/index.ts'
import type { Instant } from '../../runtime/clock.ts'
import { abortAnnotation, retryAnnotation, undoAnnotation } from '../labels.ts'
import { isActive, wordOf } from '../ledger/ledger.ts'
import type { World } from '../observe/world.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { HookRecord, Ledger, RolloutPolicy } from '../policy/types.ts'
import type { Decision, Write } from './decision.ts'
import { statusWith } from './status.ts'
import { undoTarget, withUndo } from './undo.ts'

/** Whether somebody wants the ended rollout to go on. */
export function isRetryWanted({ metadata, status }: RolloutPolicy): boolean {
  const ledger = status?.rollout
  return (
    ledger?.phase === 'Aborted' && ledger.endedAt !== undefined && metadata.annotations?.[retryAnnotation] === ledger.id
  )
}

/** Whether somebody wants the rollout under way to end; taking it back ends it too. */
export function isAbortWanted({ metadata, status }: RolloutPolicy): boolean {
  const ledger = status?.rollout
  if (!isActive(ledger) || ledger.phase === 'Aborted') return false
  return [abortAnnotation, undoAnnotation].some((name) => metadata.annotations?.[name] === ledger.id)
}

/** Whether somebody wants the rollout to be taken back, and it can be. */
export function isUndoWanted(world: World): boolean {
  const { policy, workload } = world
  const ledger = policy.status?.rollout
  if (ledger === undefined || workload === undefined) return false
  if (policy.metadata.annotations?.[undoAnnotation] !== ledger.id || ledger.undo !== undefined) return false
  if (ledger.phase === 'Cancelled' || world.templateHash !== ledger.templateHash) return false
  return undoTarget(world, ledger) !== undefined
}

/** An ended rollout shall be taken back: the way is recorded, and taken when that is seen. */
export function undo(world: World, ledger: Ledger, now: Instant): Decision {
  const rollout = withUndo(world, ledger)
  const message = `${wordOf(ledger)} to ${ledger.to} is taken back`
  const status = statusWith(world.policy, { state: 'reconciling', reason: 'Undone', message }, { rollout }, now)
  return { writes: [{ kind: 'status', status }], why: message }
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
  const message = `${wordOf(ledger)} to ${ledger.to} is tried again`
  const status = statusWith(policy, { state: 'reconciling', reason: 'Retried', message }, { rollout }, now)
  const event: Write = { kind: 'event', type: 'Normal', reason: 'RolloutRetried', message }
  return { writes: [{ kind: 'status', status }, event], why: message }
}

export function spentAnswers(world: World): readonly Write[] {
  const { policy } = world
  const given = Object.keys(policy.metadata.annotations ?? {}).filter(isAnswer)
  if (given.length === 0) return []
  const ledger = policy.status?.rollout
  const open = new Set<string>()
  if (isRetryWanted(policy)) open.add(retryAnnotation)
  if (isAbortWanted(policy)) open.add(abortAnnotation)
  if (isUndoWanted(world)) open.add(undoAnnotation)
  if (isActive(ledger)) {
    for (const { name, attempts, state } of ledger.hooks)
      if (state === 'Running') open.add(approvalAnnotation({ lifecycle: ledger.id, hook: name, attempt: attempts }))
  }
  const spent = given.filter((name) => !open.has(name))
  return spent.length === 0 ? [] : [{ kind: 'forget-answers', annotations: spent }]
}

function isAnswer(name: string): boolean {
  return [retryAnnotation, abortAnnotation, undoAnnotation].includes(name) || name.startsWith(approvalPrefix)
}
