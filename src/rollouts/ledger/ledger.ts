/** Reading and rewriting the ledger. It is never changed in place: a decision carries the next one. */
import type { Run } from '../../hooks/index.ts'
import { type Instant, sha256Hex } from '../../runtime/index.ts'
import type { EndedRollout, HookRecord, Ledger, RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'

export function isActive(ledger: Ledger | undefined): ledger is Ledger {
  return ledger !== undefined && ledger.endedAt === undefined
}

/** Under way or aborted: not every pod has its template. */
export function isUnfinished(ledger: Ledger | undefined): ledger is Ledger {
  return ledger?.phase === 'Aborted' || isActive(ledger)
}

/** The same in every engine for the same workload and generation; another one whenever a template comes back. */
export function rolloutId({ metadata }: Workload, hash: string): string {
  return sha256Hex(`${metadata.uid}/${hash}/${metadata.generation}`).slice(0, 8)
}

/** Its type for people. */
export function wordOf({ type }: Pick<Ledger, 'type'>): string {
  return type === 'CREATE' ? 'first rollout' : type.toLowerCase()
}

export function timeText(at: Instant): string {
  return new Date(at).toISOString()
}

export function isSettled({ state }: HookRecord): boolean {
  return state === 'Succeeded' || state === 'Ignored'
}

export function withRecord(ledger: Ledger, record: HookRecord): Ledger {
  return { ...ledger, hooks: ledger.hooks.map((one) => (one.name === record.name ? record : one)) }
}

export function runOf(workload: Workload, ledger: Ledger, record: HookRecord): Run {
  const { kind, metadata } = workload
  const subject = { kind, namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid ?? '' }
  return {
    surface: 'rollouts',
    subject,
    lifecycle: ledger.id,
    point: record.point,
    hook: record.name,
    attempt: record.attempts,
  }
}

/** What still runs ends with its rollout; what waited for its turn never had it, and stays as it is. */
export function ended(ledger: Ledger, phase: Ledger['phase'], now: Instant, message?: string): Ledger {
  const { point: _, waitingFor: __, ...rest } = ledger
  const endedAt = timeText(now)
  const hooks = ledger.hooks.map((record): HookRecord => {
    return record.state === 'Running' ? { ...record, state: 'Cancelled', endedAt } : record
  })
  return { ...rest, phase, endedAt, ...(message === undefined ? {} : { message }), hooks }
}

/** The history with the ended rollout in front. */
export function historyWith(policy: RolloutPolicy, ledger: Ledger, limit: number): readonly EndedRollout[] {
  const { id, type, phase, from, to, undoOf, startedAt, endedAt = startedAt, message, hooks } = ledger
  const entry: EndedRollout = {
    id,
    type,
    phase,
    ...(from === undefined ? {} : { from }),
    to,
    ...(undoOf === undefined ? {} : { undoOf }),
    startedAt,
    endedAt,
    ...(message === undefined ? {} : { message }),
    hooks: hooks.map(({ name, point, state, attempts }) => ({ name, point, state, attempts })),
  }
  const others = (policy.status?.history ?? []).filter((one) => one.id !== id)
  return [entry, ...others].slice(0, limit)
}
