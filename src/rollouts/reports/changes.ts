/**
 * What one write of the ledger tells that the one before did not: rollouts that began and ended, hooks that ended, points that were
 * passed. Metrics and the journal are made from these alone, so that the engine need not think of them.
 */
import type { RunOutcome } from '../../hooks/index.ts'
import { append, largest, smallest } from '../../runtime/index.ts'
import type { HookRecord, Ledger, RolloutPhase } from '../policy/types.ts'

export type Change =
  | { readonly kind: 'started'; readonly ledger: Ledger }
  | {
      readonly kind: 'ended'
      readonly ledger: Ledger
      readonly phase: RolloutPhase
      readonly seconds: number | undefined
    }
  | {
      readonly kind: 'hook'
      readonly ledger: Ledger
      readonly record: HookRecord
      readonly outcome: RunOutcome
      readonly seconds: number | undefined
    }
  /** Everything at a point has ended; so long it stood still there. */
  | { readonly kind: 'passed'; readonly ledger: Ledger; readonly point: string; readonly seconds: number }

export function changesOf(before: Ledger | undefined, after: Ledger | undefined): readonly Change[] {
  const isSame = before !== undefined && after?.id === before.id
  if (!isSame) return [...left(before), ...(after === undefined ? [] : begun(after))]
  const changes: Change[] = []
  if (before.endedAt !== undefined && after.endedAt === undefined) changes.push({ kind: 'started', ledger: after })
  for (const record of after.hooks) {
    const old = before.hooks.find(({ name }) => name === record.name)
    if (record.endedAt === undefined || record.endedAt === old?.endedAt) continue
    const outcome = outcomeOf(record)
    const seconds = secondsOf(record.startedAt, record.endedAt)
    changes.push({ kind: 'hook', ledger: after, record, outcome, seconds })
  }
  append(changes, passed(before, after))
  if (before.endedAt === undefined && after.endedAt !== undefined)
    changes.push({
      kind: 'ended',
      ledger: after,
      phase: after.phase,
      seconds: secondsOf(after.startedAt, after.endedAt),
    })
  return changes
}

/** The hooks that a write of the ledger has started. */
export function startedHooks(
  before: Ledger | undefined,
  after: Ledger | undefined,
): readonly { readonly ledger: Ledger; readonly record: HookRecord }[] {
  if (after === undefined) return []
  const known = before?.id === after.id ? before.hooks : []
  return after.hooks
    .filter(({ name, state, attempts }) => {
      const old = known.find((one) => one.name === name)
      return state === 'Running' && (old?.state !== 'Running' || old.attempts !== attempts)
    })
    .map((record) => ({ ledger: after, record }))
}

function outcomeOf({ state }: HookRecord): RunOutcome {
  if (state === 'Succeeded') return 'succeeded'
  return state === 'Cancelled' ? 'cancelled' : 'failed'
}

function begun(ledger: Ledger): readonly Change[] {
  return [
    { kind: 'started', ledger },
    ...(ledger.endedAt === undefined ? [] : changesOf({ ...ledger, hooks: [] }, ledger)),
  ]
}

/** A rollout that another one took the place of. */
function left(ledger: Ledger | undefined): readonly Change[] {
  if (ledger === undefined || ledger.endedAt !== undefined) return []
  return [...cancelled(ledger), { kind: 'ended', ledger, phase: 'Cancelled', seconds: undefined }]
}

function cancelled(ledger: Ledger): readonly Change[] {
  return ledger.hooks
    .filter(({ state }) => state === 'Running')
    .map((record) => ({ kind: 'hook', ledger, record, outcome: 'cancelled', seconds: undefined }) as const)
}

function passed(before: Ledger, after: Ledger): readonly Change[] {
  const points = new Set(after.hooks.map(({ point }) => point))
  return [...points].flatMap((point): Change[] => {
    const at = ({ hooks }: Ledger) => hooks.filter((hook) => hook.point === point)
    if (!at(after).every(isOver) || at(before).every(isOver)) return []
    const first = at(after).flatMap(({ startedAt }) => (startedAt === undefined ? [] : [Date.parse(startedAt)]))
    const last = at(after).flatMap(({ endedAt }) => (endedAt === undefined ? [] : [Date.parse(endedAt)]))
    if (first.length === 0 || last.length === 0) return []
    const seconds = Math.max(0, largest(last) - smallest(first)) / 1000
    return [{ kind: 'passed', ledger: after, point, seconds }]
  })
}

function isOver({ state }: HookRecord): boolean {
  return state !== 'Pending' && state !== 'Running'
}

function secondsOf(from: string | undefined, to: string | undefined): number | undefined {
  if (from === undefined || to === undefined) return undefined
  return Math.max(0, Date.parse(to) - Date.parse(from)) / 1000
}
