/**
 * What people request with annotations of the policy: an approval, or that a rollout is aborted, retried or undone. An annotation that no open
 * request needs any more is removed.
 */
import { approvalAnnotation, approvalPrefix } from '../../hooks/index.ts'
import type { Instant } from '../../runtime/index.ts'
import { abortAnnotation, retryAnnotation, undoAnnotation } from '../labels.ts'
import { isActive, wordOf } from '../ledger/index.ts'
import type { World } from '../observe/index.ts'
import type { HookRecord, Ledger, RolloutPolicy } from '../policy/types.ts'
import type { ClearRequests, EventWrite, Proposal } from './decision.ts'
import { type SituationOf, verdictOf } from './situation.ts'
import { statusWith } from './status.ts'
import { undoTarget, withUndo } from './undo.ts'

/** Whether the aborted rollout is to be retried. */
export function isRetryRequested({ metadata, status }: RolloutPolicy): boolean {
  const ledger = status?.rollout
  return (
    ledger?.phase === 'Aborted' && ledger.endedAt !== undefined && metadata.annotations?.[retryAnnotation] === ledger.id
  )
}

/** Whether the rollout under way is to end; an undo ends it, too. */
export function isAbortRequested({ metadata, status }: RolloutPolicy): boolean {
  const ledger = status?.rollout
  if (!isActive(ledger) || ledger.phase === 'Aborted') return false
  const requests = ledger.type === 'UNDO' ? [abortAnnotation] : [abortAnnotation, undoAnnotation]
  return requests.some((name) => metadata.annotations?.[name] === ledger.id)
}

/** Whether the rollout is to be undone, and can be. */
export function isUndoRequested(world: World): boolean {
  const { policy, workload } = world
  const ledger = policy.status?.rollout
  if (ledger === undefined || workload === undefined) return false
  if (policy.metadata.annotations?.[undoAnnotation] !== ledger.id || ledger.undo !== undefined) return false
  if (ledger.phase === 'Cancelled' || world.templateHash !== ledger.templateHash) return false
  return undoTarget(world, ledger) !== undefined
}

/** The way back is recorded first, and taken when the cache shows it. */
export function decideUndoRequested({ world, ledger }: SituationOf<'UndoRequested'>, now: Instant): Proposal {
  const rollout = withUndo(world, ledger)
  const message = `${wordOf(ledger)} to ${ledger.to} is taken back`
  return { ledger: statusWith(world.policy, verdictOf('UndoRequested', message), { rollout }, now), why: message }
}

/** The rollout goes on where it was aborted: hooks that succeeded are not run again, all others get another attempt. */
export function decideRetryRequested(situation: SituationOf<'RetryRequested'>, now: Instant): Proposal {
  const { world, compiled, ledger } = situation
  const { endedAt: _, message: __, ...rest } = ledger
  const forAbort = new Set(compiled.hooks.filter(({ moment }) => moment.kind === 'aborted').map(({ name }) => name))
  const again = ({ name, point, attempts }: HookRecord): HookRecord => ({ name, point, attempts, state: 'Pending' })
  const rollout: Ledger = {
    ...rest,
    phase: 'Pending',
    hooks: ledger.hooks.map((record) =>
      record.state === 'Failed' || record.state === 'Cancelled' || forAbort.has(record.name) ? again(record) : record,
    ),
  }
  const message = `${wordOf(ledger)} to ${ledger.to} is tried again`
  const event: EventWrite = { kind: 'event', type: 'Normal', reason: 'RolloutRetried', message }
  const status = statusWith(world.policy, verdictOf('RetryRequested', message), { rollout }, now)
  return { ledger: status, events: [event], why: message }
}

/** Removes the annotations of requests and approvals that are done or too late. */
export function clearedRequests(world: World): ClearRequests | undefined {
  const { policy } = world
  const given = Object.keys(policy.metadata.annotations ?? {}).filter(isRequest)
  if (given.length === 0) return undefined
  const open = openRequests(world)
  const annotations = given.filter((name) => !open.has(name))
  return annotations.length === 0 ? undefined : { kind: 'clear-requests', annotations }
}

function openRequests(world: World): ReadonlySet<string> {
  const { policy } = world
  const ledger = policy.status?.rollout
  const open = new Set<string>()
  if (isRetryRequested(policy)) open.add(retryAnnotation)
  if (isAbortRequested(policy)) open.add(abortAnnotation)
  if (isUndoRequested(world)) open.add(undoAnnotation)
  if (!isActive(ledger)) return open
  for (const { name, attempts, state } of ledger.hooks)
    if (state === 'Running') open.add(approvalAnnotation({ lifecycle: ledger.id, hook: name, attempt: attempts }))
  return open
}

function isRequest(name: string): boolean {
  return [retryAnnotation, abortAnnotation, undoAnnotation].includes(name) || name.startsWith(approvalPrefix)
}
