/**
 * Takes the hooks of one point a step further: starts those that are due, looks at those that run, and judges those that ended.
 */

import { approvalAnnotation, next, type Observation, objectName, observeApproval, type Run } from '../../hooks/index.ts'
import type { Instant } from '../../runtime/clock.ts'
import { isSettled, runOf, timeText, withRecord } from '../ledger/ledger.ts'
import { startPatience } from '../observe/recent-actions.ts'
import type { World } from '../observe/world.ts'
import type { CompiledHook } from '../policy/compile.ts'
import type { HookRecord, Ledger } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import type { HookContext, Write } from './decision.ts'

export interface GroupStep {
  readonly ledger: Ledger
  /** To be performed after the ledger is written. */
  readonly writes: readonly Write[]
  readonly wakeAt?: Instant
  readonly state: 'running' | 'settled' | 'failed'
}

/** Milliseconds after its start in which whoever deletes a hook's object is caught by memory alone, not by the ledger. */
const soon = 30_000

interface HookStep {
  readonly record: HookRecord
  readonly writes: readonly Write[]
  readonly wakeAt?: Instant
}

export function stepGroup(
  world: World,
  workload: Workload,
  before: Ledger,
  hooks: readonly CompiledHook[],
  context: HookContext,
  now: Instant,
): GroupStep {
  let ledger = before
  const writes: Write[] = []
  let wakeAt: Instant | undefined
  const records: HookRecord[] = []
  for (const hook of hooks) {
    const record = ledger.hooks.find(({ name }) => name === hook.name)
    if (record === undefined) continue
    const step = stepHook(world, workload, ledger, hook, record, context, now)
    records.push(step.record)
    writes.push(...step.writes)
    if (step.record !== record) ledger = withRecord(ledger, step.record)
    if (step.wakeAt !== undefined) wakeAt = Math.min(wakeAt ?? step.wakeAt, step.wakeAt)
  }
  const isOver = records.every(
    (record) => isSettled(record) || record.state === 'Failed' || record.state === 'Cancelled',
  )
  const state = !isOver ? 'running' : records.every(isSettled) ? 'settled' : 'failed'
  return { ledger, writes, state, ...(wakeAt === undefined ? {} : { wakeAt }) }
}

function stepHook(
  world: World,
  workload: Workload,
  ledger: Ledger,
  hook: CompiledHook,
  record: HookRecord,
  context: HookContext,
  now: Instant,
): HookStep {
  switch (record.state) {
    case 'Pending': {
      const retryAt = record.retryAt === undefined ? now : Date.parse(record.retryAt)
      if (retryAt > now) return { record, writes: [], wakeAt: retryAt }
      const { retryAt: _, object: __, message: ___, ...rest } = record
      const started: HookRecord = { ...rest, state: 'Running', attempts: record.attempts + 1, startedAt: timeText(now) }
      if (hook.action.kind === 'approval') return asked(world, hook, started, now)
      const run = runOf(workload, ledger, started)
      const ours = { ...withObject(started, expectedObject(hook, run)), starter: world.engine }
      return { record: ours, writes: [{ kind: 'start-hook', run, hook, context }] }
    }
    case 'Running':
      return stepRunning(world, workload, ledger, hook, record, context, now)
    case 'Succeeded':
    case 'Failed':
    case 'Ignored':
    case 'Cancelled':
      return { record, writes: [] }
  }
}

function stepRunning(
  world: World,
  workload: Workload,
  ledger: Ledger,
  hook: CompiledHook,
  record: HookRecord,
  context: HookContext,
  now: Instant,
): HookStep {
  const run = runOf(workload, ledger, record)
  const seen = observationOf(world, hook, record, run, now)
  switch (seen.state) {
    case 'absent':
    case 'lost': {
      // Seen before and gone now: somebody took it away. Never seen: we died between the ledger and the start.
      const lost = seen.state === 'lost' ? seen.object : undefined
      const gone = record.object?.uid === undefined ? lost : record.object
      if (gone === undefined) return stepUnseen(world, hook, record, run, context, now)
      const step = failed(hook, { ...record, object: gone }, 'Lost', `${gone.kind} ${gone.name} was deleted`, now)
      return { ...step, writes: [{ kind: 'expect-gone', object: gone }, ...step.writes] }
    }
    case 'running': {
      const deadline = hook.timeout === undefined ? undefined : Date.parse(record.startedAt ?? '') + hook.timeout
      if (deadline !== undefined && deadline <= now) {
        const reason = `it took longer than ${(hook.timeout ?? 0) / 1000} s`
        const step = failed(hook, withObject(record, seen.object), 'Timeout', reason, now)
        return { ...step, writes: [{ kind: 'cancel-hook', run }, ...step.writes] }
      }
      // Most hooks end before it is worth a write of its own that their object is there.
      const isNews = record.object?.uid === undefined && seen.object !== undefined
      const toldAt = isNews ? Date.parse(record.startedAt ?? '') + soon : Infinity
      const known = toldAt <= now ? withObject(record, seen.object) : record
      const next = Math.min(deadline ?? Infinity, seen.until ?? Infinity, toldAt > now ? toldAt : Infinity)
      return { record: known, writes: [], ...(next === Infinity ? {} : { wakeAt: next }) }
    }
    case 'succeeded': {
      const done: HookRecord = {
        ...withObject(record, seen.object),
        state: 'Succeeded',
        endedAt: timeText(endOf(seen, record, now)),
        ...(seen.message === undefined ? {} : { message: seen.message }),
      }
      const event: Write = {
        kind: 'event',
        type: 'Normal',
        reason: 'HookSucceeded',
        message: `hook ${hook.name} at ${record.point} succeeded`,
        isRoutine: true,
      }
      // Whatever else does not stay goes after the end of the rollout, when nothing more important is to be done.
      const writes: Write[] = hook.retain === 'Never' ? [event, { kind: 'remove-hook', run }] : [event]
      return { record: done, writes }
    }
    case 'failed': {
      // What was refused never was an object.
      const { object: _, ...rest } = record
      const reason = seen.kubernetesReason ?? seen.reason
      const step = failed(hook, withObject(rest, seen.object), reason, seen.message, now)
      return hook.retain === 'Never' ? { ...step, writes: [...step.writes, { kind: 'remove-hook', run }] } : step
    }
  }
}

/** Objects tell the second in which they ended; it is over now, and was not before it began. */
function endOf({ at, object }: Observation & { state: 'succeeded' }, { startedAt = '' }: HookRecord, now: Instant) {
  const latest = object === undefined ? at : Math.min(at + 999, now)
  return Math.max(latest, Date.parse(startedAt) || latest)
}

/** Without a uid until it has been seen; undefined for actions that are no objects. */
function expectedObject({ action }: CompiledHook, run: Run): HookRecord['object'] {
  if (action.kind !== 'job' && action.kind !== 'pod') return undefined
  return { kind: action.kind === 'job' ? 'Job' : 'Pod', name: objectName(run) }
}

function withObject(record: HookRecord, object: HookRecord['object']): HookRecord {
  return object === undefined ? record : { ...record, object }
}

/** Said to be started and never seen: it is on its way, or its starter died before it could start it. */
function stepUnseen(
  world: World,
  hook: CompiledHook,
  record: HookRecord,
  run: Run,
  context: HookContext,
  now: Instant,
): HookStep {
  const start: Write = { kind: 'start-hook', run, hook, context }
  const startedHere = world.startedHere(run)
  const until = (startedHere ?? Date.parse(record.startedAt ?? '')) + startPatience
  if (startedHere !== undefined) {
    if (until > now) return { record, writes: [], wakeAt: until }
    const object = expectedObject(hook, run) ?? { kind: 'Pod', name: objectName(run) }
    const step = failed(hook, record, 'Lost', `${object.kind} ${object.name} was deleted`, now)
    return { ...step, writes: [{ kind: 'expect-gone', object }, ...step.writes] }
  }
  if (record.starter === undefined || record.starter === world.engine) return { record, writes: [start] }
  if (until > now) return { record, writes: [], wakeAt: until }
  // Where our cache is behind, another engine may have seen it end already, and would have removed it before a second one comes.
  const object = expectedObject(hook, run)
  const unseen: readonly Write[] = object === undefined ? [] : [{ kind: 'expect-gone', object }]
  return { record: { ...record, starter: world.engine, startedAt: timeText(now) }, writes: [...unseen, start] }
}

/** An approval is an answer on the policy; everything else was started and is looked for. */
function observationOf(
  world: World,
  { action }: CompiledHook,
  record: HookRecord,
  run: Run,
  now: Instant,
): Observation {
  if (action.kind !== 'approval') return world.observe(run)
  const answer = world.policy.metadata.annotations?.[approvalAnnotation(run)]
  return observeApproval(answer, { ...action.approval, since: Date.parse(record.startedAt ?? '') }, now)
}

/** Nothing is started: somebody is told that an answer is wanted. */
function asked({ policy }: World, { name, action }: CompiledHook, record: HookRecord, now: Instant): HookStep {
  const { message, timeoutSeconds } = action.kind === 'approval' ? action.approval : {}
  const { name: own, namespace } = policy.metadata
  const said = `hook ${name} at ${record.point} wants an approval${message === undefined ? '' : `: ${message}`}`
  const event: Write = {
    kind: 'event',
    type: 'Normal',
    reason: 'ApprovalWanted',
    message: `${said}; answer with: carabiner rollout approve ${own} ${name} -n ${namespace}`,
  }
  return {
    record: message === undefined ? record : { ...record, message },
    writes: [event],
    ...(timeoutSeconds === undefined ? {} : { wakeAt: now + timeoutSeconds * 1000 }),
  }
}

function failed(hook: CompiledHook, record: HookRecord, reason: string, message: string, now: Instant): HookStep {
  const step = next(hook.failurePolicy, record.attempts, now)
  const ended = { ...record, endedAt: timeText(now), message: `${reason}: ${message}` }
  const said = `hook ${hook.name} at ${record.point}, attempt ${record.attempts}: ${reason}: ${message}`
  const event = (outcome: string): Write => ({
    kind: 'event',
    type: 'Warning',
    reason: 'HookFailed',
    message: `${said}; ${outcome}`,
  })
  switch (step.do) {
    case 'abort':
      return { record: { ...ended, state: 'Failed' }, writes: [event('the rollout is aborted')] }
    case 'proceed':
      return { record: { ...ended, state: 'Ignored' }, writes: [event('ignored')] }
    case 'retry': {
      const retry: HookRecord = { ...ended, state: 'Pending', retryAt: timeText(step.at) }
      return { record: retry, writes: [event(`it is tried again at ${timeText(step.at)}`)], wakeAt: step.at }
    }
  }
}
