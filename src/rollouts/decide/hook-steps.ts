/** Takes the hooks of one point a step further: starts those that are due, observes those that run, and judges those that have ended. */
import { approvalAnnotation, next, type Observation, objectName, observeApproval, type Run } from '../../hooks/index.ts'
import { type Instant, smallest } from '../../runtime/index.ts'
import { isSettled, runOf, timeText, withRecord } from '../ledger/index.ts'
import type { HookContext } from '../objects/hook-context.ts'
import { type Revision, type RunState, startTimeoutMs } from '../observe/index.ts'
import type { CompiledHook } from '../policy/compile.ts'
import type { HookRecord, Ledger } from '../policy/types.ts'
import type { CancelHook, EventWrite, ObjectReference, RemoveHook, StartHook } from './decision.ts'
import type { TargetWorld } from './target-world.ts'

/** What is written besides the ledger. */
export interface HookPhases {
  readonly gone: readonly ObjectReference[]
  readonly cancel: readonly CancelHook[]
  readonly events: readonly EventWrite[]
  readonly remove: readonly RemoveHook[]
  readonly start: readonly StartHook[]
}

export interface GroupStep {
  /** The same object when no hook has changed. */
  readonly ledger: Ledger
  readonly phases: HookPhases
  readonly wakeAt?: Instant
  readonly state: 'running' | 'settled' | 'failed'
}

/** What one hook is decided from. */
interface Scene {
  readonly world: TargetWorld
  readonly ledger: Ledger
  readonly context: HookContext
  readonly now: Instant
}

interface HookStep extends Partial<HookPhases> {
  readonly record: HookRecord
  readonly wakeAt?: Instant
}

/** In this time after its start, the deletion of a hook's object is noticed without the ledger; later, the ledger records its uid. */
const unrecordedMs = 30_000
/** A pod that uses more than its node has is evicted again and again: from then on, it counts. */
const maxDisruptions = 5
const disruptionBackoffMs = 10_000

export function contextOf(ledger: Ledger, target: Revision): HookContext {
  return {
    from: ledger.from,
    to: target.name,
    toUid: target.uid,
    toKind: target.kind,
    type: ledger.type,
    rollout: ledger.id,
  }
}

export function stepGroup(scene: Scene, hooks: readonly CompiledHook[]): GroupStep {
  let { ledger } = scene
  const steps: HookStep[] = []
  for (const hook of hooks) {
    const record = ledger.hooks.find(({ name }) => name === hook.name)
    if (record === undefined) continue
    const step = stepHook({ ...scene, ledger }, ledger.type === 'UNDO' ? ignoringFailure(hook) : hook, record)
    steps.push(step)
    if (step.record !== record) ledger = withRecord(ledger, step.record)
  }
  const records = steps.map(({ record }) => record)
  const wakeAt = smallest(steps.map((step) => step.wakeAt ?? Infinity))
  return {
    ledger,
    phases: {
      gone: steps.flatMap(({ gone = [] }) => gone),
      events: steps.flatMap(({ events = [] }) => events),
      cancel: steps.flatMap(({ cancel = [] }) => cancel),
      remove: steps.flatMap(({ remove = [] }) => remove),
      start: steps.flatMap(({ start = [] }) => start),
    },
    state: !records.every(isOver) ? 'running' : records.every(isSettled) ? 'settled' : 'failed',
    ...(wakeAt === Infinity ? {} : { wakeAt }),
  }
}

/** On the way back from a rollout that did not complete, a hook that fails must not hold the workload. */
function ignoringFailure(hook: CompiledHook): CompiledHook {
  return { ...hook, failurePolicy: { kind: 'ignore' } }
}

function isOver(record: HookRecord): boolean {
  return isSettled(record) || record.state === 'Failed' || record.state === 'Cancelled'
}

function stepHook(scene: Scene, hook: CompiledHook, record: HookRecord): HookStep {
  switch (record.state) {
    case 'Pending':
      return stepPending(scene, hook, record)
    case 'Running':
      return stepRunning(scene, hook, record)
    case 'Succeeded':
    case 'Failed':
    case 'Ignored':
    case 'Cancelled':
      return { record }
  }
}

function stepPending({ world, ledger, context, now }: Scene, hook: CompiledHook, record: HookRecord): HookStep {
  const retryAt = record.retryAt === undefined ? now : Date.parse(record.retryAt)
  if (retryAt > now) return { record, wakeAt: retryAt }
  const { retryAt: _, object: __, reason: ___, message: ____, ...rest } = record
  const started: HookRecord = { ...rest, state: 'Running', attempts: record.attempts + 1, startedAt: timeText(now) }
  if (hook.action.kind === 'approval') return requestApproval(world, hook, started, now)
  const run = runOf(world.workload, ledger, started)
  const ours = { ...withObject(started, expectedObject(hook, run)), starter: world.engine }
  return { record: ours, start: [{ kind: 'start-hook', run, hook, context }] }
}

function stepRunning(scene: Scene, hook: CompiledHook, record: HookRecord): HookStep {
  const { world, ledger, now } = scene
  const run = runOf(world.workload, ledger, record)
  const seen = observationOf(scene, hook, record, run)
  switch (seen.state) {
    case 'absent':
    case 'lost': {
      // An object that was observed before and is gone was deleted by someone else. One that was never observed was not created yet.
      const lost = seen.state === 'lost' ? seen.object : undefined
      const gone = record.object?.uid === undefined ? lost : record.object
      if (seen.state === 'lost' && seen.disruption !== undefined) {
        const why = { reason: 'Disrupted', message: seen.disruption }
        return { ...disrupted(hook, withObject(record, gone), why, now), gone: [gone ?? seen.object] }
      }
      return gone === undefined
        ? stepUnseen(scene, hook, record, run)
        : failedAsLost(hook, { ...record, object: gone }, gone, now)
    }
    case 'running':
      return stillRunning(hook, record, seen, { run, now })
    case 'succeeded':
      return succeeded(hook, record, seen, { run, now })
    case 'failed': {
      // A hook that the API server refused has no object.
      const { object: _, ...rest } = record
      const reason = seen.kubernetesReason ?? seen.reason
      const end = seen.reason === 'Disrupted' ? disrupted : failed
      const step = end(hook, withObject(rest, seen.object), { reason, message: seen.message }, now)
      return hook.retain === 'Never' ? { ...step, remove: [{ kind: 'remove-hook', run }] } : step
    }
  }
}

type Seen<S extends Observation['state']> = Extract<Observation, { readonly state: S }>

interface At {
  readonly run: Run
  readonly now: Instant
}

function stillRunning(hook: CompiledHook, record: HookRecord, seen: Seen<'running'>, { run, now }: At): HookStep {
  const deadline = hook.timeout === undefined ? undefined : Date.parse(record.startedAt ?? '') + hook.timeout
  if (deadline !== undefined && deadline <= now) {
    const message = `it took longer than ${(hook.timeout ?? 0) / 1000} s`
    const step = failed(hook, withObject(record, seen.object), { reason: 'Timeout', message }, now)
    return { ...step, cancel: [{ kind: 'cancel-hook', run }] }
  }
  // Most hooks end before it is worth a write that their object exists.
  const isNews = record.object?.uid === undefined && seen.object !== undefined
  const recordedAt = isNews ? Date.parse(record.startedAt ?? '') + unrecordedMs : Infinity
  const known = recordedAt <= now ? withObject(record, seen.object) : record
  const wakeAt = Math.min(deadline ?? Infinity, seen.until ?? Infinity, recordedAt > now ? recordedAt : Infinity)
  return { record: known, ...(wakeAt === Infinity ? {} : { wakeAt }) }
}

function succeeded(hook: CompiledHook, record: HookRecord, seen: Seen<'succeeded'>, { run, now }: At): HookStep {
  const done: HookRecord = {
    ...withObject(record, seen.object),
    state: 'Succeeded',
    endedAt: timeText(endOf(seen, record, now)),
    ...(seen.message === undefined ? {} : { message: seen.message }),
  }
  const message = `hook ${hook.name} at ${record.point} succeeded`
  return {
    record: done,
    events: [{ kind: 'event', type: 'Normal', reason: 'HookSucceeded', message, isRoutine: true }],
    // Objects that are kept for a while are removed after the end of the rollout, when nothing more important is to be done.
    ...(hook.retain === 'Never' ? { remove: [{ kind: 'remove-hook', run }] } : {}),
  }
}

/** Objects record their end in whole seconds; it is not later than now and not before the start. */
function endOf({ at, object }: Seen<'succeeded'>, { startedAt = '' }: HookRecord, now: Instant) {
  const latest = object === undefined ? at : Math.min(at + 999, now)
  return Math.max(latest, Date.parse(startedAt) || latest)
}

/** Without a uid until it has been observed; undefined for actions that are not objects. */
function expectedObject({ action }: CompiledHook, run: Run): HookRecord['object'] {
  if (action.kind !== 'job' && action.kind !== 'pod') return undefined
  return { kind: action.kind === 'job' ? 'Job' : 'Pod', name: objectName(run) }
}

function withObject(record: HookRecord, object: HookRecord['object']): HookRecord {
  return object === undefined ? record : { ...record, object }
}

/** Recorded as started and not observed: its creation is under way, or the engine that recorded it stopped before it could create it. */
function stepUnseen({ world, context, now }: Scene, hook: CompiledHook, record: HookRecord, run: Run): HookStep {
  const start: StartHook = { kind: 'start-hook', run, hook, context }
  const startedHere = world.runs[hook.name]?.startedHere
  const until = (startedHere ?? Date.parse(record.startedAt ?? '')) + startTimeoutMs
  if (startedHere !== undefined) {
    if (until > now) return { record, wakeAt: until }
    return failedAsLost(hook, record, expectedObject(hook, run) ?? { kind: 'Pod', name: objectName(run) }, now)
  }
  if (record.starter === undefined || record.starter === world.engine) return { record, start: [start] }
  if (until > now) return { record, wakeAt: until }
  // Where our cache is behind, the other engine may have seen it end already, and would have removed it before a second one is created.
  const object = expectedObject(hook, run)
  const taken = { ...record, starter: world.engine, startedAt: timeText(now) }
  return { record: taken, gone: object === undefined ? [] : [object], start: [start] }
}

const notObserved: RunState = { observation: { state: 'absent' } }

/** An approval is an annotation of the policy; every other action was started and has an observation. */
function observationOf(
  { world, now }: Scene,
  { action, name }: CompiledHook,
  record: HookRecord,
  run: Run,
): Observation {
  if (action.kind !== 'approval') return (world.runs[name] ?? notObserved).observation
  const answer = world.policy.metadata.annotations?.[approvalAnnotation(run)]
  return observeApproval(answer, { ...action.approval, since: Date.parse(record.startedAt ?? '') }, now)
}

/** Nothing is started: an event asks for the approval. */
function requestApproval(
  { policy }: TargetWorld,
  { name, action }: CompiledHook,
  record: HookRecord,
  now: Instant,
): HookStep {
  const { message, timeoutSeconds } = action.kind === 'approval' ? action.approval : {}
  const { name: own, namespace } = policy.metadata
  const said = `hook ${name} at ${record.point} wants an approval${message === undefined ? '' : `: ${message}`}`
  const event: EventWrite = {
    kind: 'event',
    type: 'Normal',
    reason: 'ApprovalWanted',
    message: `${said}; answer with: carabiner rollout approve ${own} ${name} -n ${namespace}`,
  }
  return {
    record: message === undefined ? record : { ...record, message },
    events: [event],
    ...(timeoutSeconds === undefined ? {} : { wakeAt: now + timeoutSeconds * 1000 }),
  }
}

function failedAsLost(hook: CompiledHook, record: HookRecord, object: ObjectReference, now: Instant): HookStep {
  const message = `${object.kind} ${object.name} was deleted`
  return { ...failed(hook, record, { reason: 'Lost', message }, now), gone: [object] }
}

/** The hook did nothing wrong: it is tried again, whatever its policy for failures, and the attempt does not count. */
function disrupted(hook: CompiledHook, record: HookRecord, { reason, message }: Why, now: Instant): HookStep {
  const { disruptions = 0, attempts, point } = record
  if (disruptions >= maxDisruptions) return failed(hook, record, { reason, message }, now)
  const retryAt = timeText(now + disruptionBackoffMs)
  const said = `${reason}: ${message}`
  const outcome = `it does not count and is tried again at ${retryAt}`
  const event: EventWrite = {
    ...{ kind: 'event', type: 'Warning', reason: 'HookDisrupted' },
    message: `hook ${hook.name} at ${point}, attempt ${attempts}: ${said}; ${outcome}`,
  }
  const counted = { disruptions: disruptions + 1, endedAt: timeText(now), reason, message: said, retryAt }
  return { record: { ...record, ...counted, state: 'Pending' }, events: [event], wakeAt: now + disruptionBackoffMs }
}

interface Why {
  readonly reason: string
  readonly message: string
}

function failed(hook: CompiledHook, record: HookRecord, { reason, message }: Why, now: Instant): HookStep {
  const step = next(hook.failurePolicy, record.attempts - (record.disruptions ?? 0), now)
  const ended = { ...record, endedAt: timeText(now), reason, message: `${reason}: ${message}` }
  const said = `hook ${hook.name} at ${record.point}, attempt ${record.attempts}: ${reason}: ${message}`
  const event = (outcome: string): readonly EventWrite[] => [
    { kind: 'event', type: 'Warning', reason: 'HookFailed', message: `${said}; ${outcome}` },
  ]
  switch (step.do) {
    case 'abort':
      return { record: { ...ended, state: 'Failed' }, events: event('the rollout is aborted') }
    case 'proceed':
      return { record: { ...ended, state: 'Ignored' }, events: event('ignored') }
    case 'retry': {
      const retry: HookRecord = { ...ended, state: 'Pending', retryAt: timeText(step.at) }
      return { record: retry, events: event(`it is tried again at ${timeText(step.at)}`), wakeAt: step.at }
    }
  }
}
