/**
 * A rollout under way: finds the next point, moves the workload there and no further, runs its hooks, and lets the native controller
 * finish when nothing has to be held any more.
 */
import { canonicalJson } from '../../runtime/canonical-json.ts'
import type { Instant } from '../../runtime/clock.ts'
import { holdLabel } from '../labels.ts'
import { ended, historyWith, isSettled, timeText, wordOf } from '../ledger/ledger.ts'
import { savedOf } from '../ledger/saved-fields.ts'
import type { PodState, Revision, World } from '../observe/world.ts'
import { groupsOf, type HookGroup } from '../points/hook-groups.ts'
import type { CompiledHook, CompiledPolicy } from '../policy/compile.ts'
import type { Ledger } from '../policy/types.ts'
import type { Deployment, Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'
import type { Progress, View } from '../strategies/strategy.ts'
import { abort } from './abort.ts'
import { isStuck, progressDeadline } from './deadline.ts'
import type { Decision, HookContext, Write } from './decision.ts'
import { stepGroup } from './hook-steps.ts'
import { statusWith } from './status.ts'
import { isBornApart } from './visibility.ts'

interface Scene {
  readonly world: World
  readonly workload: Workload
  readonly compiled: CompiledPolicy
  readonly ledger: Ledger
  readonly target: Revision
  readonly view: View
  readonly progress: Progress
  readonly now: Instant
}

export function advance(world: World, compiled: CompiledPolicy, ledger: Ledger, now: Instant): Decision {
  const { workload, revisions, pods } = world
  if (workload === undefined) return { writes: [], why: 'there is no workload' }
  const made = revisions.find(({ templateHash }) => templateHash === ledger.templateHash)
  if (made === undefined && workload.kind !== 'Deployment') return { writes: [], why: 'the new revision is made' }
  const target = made ?? expectedRevision(ledger, now)
  const saved = savedOf({ ...world.policy, status: { ...world.policy.status, rollout: ledger } }, workload)
  const view: View = { workload, target, pods, saved, now }
  const strategy = strategyOf(workload)
  const progress = strategy.progress(view)
  const scene: Scene = { world, workload, compiled, ledger, target, view, progress, now }
  const replicas = strategy.size(workload, saved)
  const wanted = new Set(ledger.hooks.map(({ name }) => name))
  const groups = groupsOf(
    compiled.hooks.filter(({ name }) => wanted.has(name)),
    replicas,
    strategy.reach?.(workload, saved),
  )
  const next = groups.find(
    ({ hooks }) =>
      !hooks.every((hook) => ledger.hooks.some((record) => record.name === hook.name && isSettled(record))),
  )
  if (made === undefined) return make(scene, next)
  const stuck = strategy.stuck?.(view) ?? []
  const { writes, ...decision } = towards(scene, next, replicas)
  return { ...decision, writes: [...writes, ...stuck.map(deletion)] }
}

function expectedRevision({ to: name, templateHash }: Ledger, createdAt: Instant): Revision {
  return { kind: 'ReplicaSet', name, uid: '', number: 0, templateHash, createdAt, annotations: {} }
}

/** A paused Deployment makes no ReplicaSet of its own, and hooks must be able to name it. Those before the first pod start with it. */
function make(scene: Scene, next: HookGroup | undefined): Decision {
  const { world, ledger } = scene
  const isApart = next !== undefined && next.moment.kind !== 'post' && next.pods === 0 && isBornApart(world)
  const create: Write = { kind: 'create-revision', name: ledger.to, ...(isApart ? { isApart } : {}) }
  const isPending = ({ name }: CompiledHook) =>
    ledger.hooks.some((record) => record.name === name && record.state === 'Pending')
  if (next?.moment.kind !== 'progress' || next.pods > 0 || !next.hooks.every(isPending))
    return { writes: [create], why: 'the new revision is made' }
  const { writes, ...decision } = runHooks(scene, next)
  const told = writes.filter(({ kind }) => kind === 'status')
  return { ...decision, writes: [...told, create, ...writes.filter((write) => !told.includes(write))] }
}

function towards(scene: Scene, next: HookGroup | undefined, replicas: number): Decision {
  const { workload, ledger, view, progress } = scene
  if (next === undefined) return finish(scene)
  if (next.moment.kind === 'mid') return empty(scene, next)
  if (mustBeOpen(next, replicas, workload, view.saved)) {
    if (ledger.phase !== 'Finishing') return open(scene, next)
    if (isHeld(workload)) return letGo(scene)
    const isThere = next.moment.kind === 'post' ? progress.complete : progress.available >= next.pods
    if (isThere) return runHooks(scene, next)
    return stalled(scene) ?? wait(scene, next, `${progress.available} of ${next.pods} new pods are available`)
  }
  if (progress.available >= next.pods) return tighten(scene, next) ?? runHooks(scene, next)
  return move(scene, next)
}

/** Who takes replicas away leaves the native controller with more new pods to make than the point is now. */
function tighten({ workload, view }: Scene, { name, pods }: HookGroup): Decision | undefined {
  const strategy = strategyOf(workload)
  if (pods === 0 || (strategy.allowance?.(workload) ?? 0) <= pods) return undefined
  const step = strategy.advance(view, pods)
  if (step.do !== 'patch') return undefined
  return { writes: [{ kind: 'workload', patch: step.patch }], why: `${name} is ${pods} new pods now` }
}

/** Points that no gate has to hold: the end, and everything but the start of a Recreate. */
export function mustBeOpen(
  { pods, moment }: HookGroup,
  replicas: number,
  workload: Workload,
  saved: View['saved'],
): boolean {
  if (moment.kind === 'post') return true
  if (pods === 0) return false
  return pods >= replicas || isRecreated(workload, saved)
}

/** Whether all old pods go before the first new one comes. */
export function isRecreated({ kind }: Workload, saved: View['saved']): boolean {
  return kind === 'Deployment' && (saved as { strategy?: Deployment['spec']['strategy'] }).strategy?.type === 'Recreate'
}

/** Between the last old pod and the first new one. */
function empty(scene: Scene, group: HookGroup): Decision {
  const { workload, view, ledger } = scene
  const step = strategyOf(workload).empty?.(view) ?? { do: 'done' }
  const why = 'on the way to mid: the old pods end'
  switch (step.do) {
    case 'done':
      return runHooks(scene, group)
    case 'wait':
      return { writes: [], why }
    case 'patch': {
      const next: Ledger = { ...ledger, phase: 'Progressing', point: group.name, saved: step.saved, moved: true }
      return { writes: [statusWrite(scene, next, why), { kind: 'workload', patch: step.patch }], why }
    }
  }
}

function move(scene: Scene, group: HookGroup): Decision {
  const { world, compiled, workload, view, ledger, now } = scene
  const deadline = progressDeadline(view, ledger)
  if (deadline !== undefined && deadline <= now && ledger.point === group.name) {
    const reason = `on the way to ${group.name} no new pod became available in time (progressDeadlineSeconds)`
    return abort(world, compiled, ledger, reason, now)
  }
  const step = strategyOf(workload).advance(view, group.pods)
  const why = `on the way to ${group.name}: ${scene.progress.available} of ${group.pods} new pods are available`
  const isSaid = ledger.phase !== 'Pending' && ledger.point === group.name && sameJson(ledger.saved, view.saved)
  const progressing = isSaid ? [] : [progressWrite(scene, group, why)]
  switch (step.do) {
    case 'wait':
      return { writes: progressing, why, ...wake(scene, deadline) }
    case 'patch':
      return { writes: [...progressing, { kind: 'workload', patch: step.patch }], why, ...wake(scene, deadline) }
    case 'delete':
      return { writes: [...progressing, ...step.pods.map(deletion)], why, ...wake(scene, deadline) }
  }
}

function deletion({ name, uid }: PodState): Write {
  return { kind: 'delete-pod', name, uid }
}

/** The native controller has given up: that is said, and taken back where it is wanted. It may still come to an end by itself. */
function stalled(scene: Scene): Decision | undefined {
  const { world, compiled, workload, ledger, now } = scene
  const said = world.policy.status?.conditions?.find(({ type }) => type === 'Stalled')?.status === 'True'
  const why = 'the workload made no progress in time (progressDeadlineSeconds)'
  if (!isStuck(workload)) return said ? { writes: [statusWrite(scene, ledger, 'it moves again')], why } : undefined
  if (compiled.onAbort === 'Undo' && ledger.undoOf === undefined) return abort(world, compiled, ledger, why, now)
  if (said) return { writes: [], why }
  const verdict = { state: 'stalled', reason: 'ProgressDeadlineExceeded', message: why } as const
  return { writes: [{ kind: 'status', status: statusWith(world.policy, verdict, { rollout: ledger }, now) }], why }
}

function wait(scene: Scene, group: HookGroup, why: string): Decision {
  const isSaid = scene.ledger.point === group.name && scene.ledger.waitingFor === undefined
  return { writes: isSaid ? [] : [progressWrite(scene, group, why)], why, ...wake(scene) }
}

function progressWrite(scene: Scene, group: HookGroup, message: string): Write {
  const { waitingFor: _, ...ledger } = scene.ledger
  const phase = ledger.phase === 'Finishing' ? 'Finishing' : 'Progressing'
  // What the owner changed before the first step would be overwritten by it.
  const now = {
    phase,
    point: group.name,
    saved: scene.view.saved,
    moved: true,
    movingSince: timeText(scene.now),
  } as const
  return statusWrite(scene, { ...ledger, ...now }, message)
}

function statusWrite({ world, now }: Scene, rollout: Ledger, message: string): Write {
  const said = { state: 'reconciling', reason: rollout.phase, message } as const
  return { kind: 'status', status: statusWith(world.policy, said, { rollout }, now) }
}

function wake({ progress }: Scene, deadline: Instant = Infinity): { wakeAt?: Instant } {
  const wakeAt = Math.min(progress.wakeAt ?? Infinity, deadline)
  return wakeAt === Infinity ? {} : { wakeAt }
}

function runHooks(scene: Scene, group: HookGroup): Decision {
  const { world, workload, ledger, target, now } = scene
  const context: HookContext = {
    from: ledger.from,
    to: target.name,
    toUid: target.uid,
    toKind: target.kind,
    type: ledger.type,
    rollout: ledger.id,
  }
  const step = stepGroup(world, workload, ledger, group.hooks, context, now)
  if (step.state === 'failed') {
    const broken = step.ledger.hooks.filter(({ state }) => state === 'Failed')
    const reason = broken.map(({ name, message }) => `hook ${name}: ${message ?? 'failed'}`).join('; ')
    return abort(world, scene.compiled, step.ledger, reason, now, step.writes)
  }
  const unsettled = group.hooks.filter((hook) =>
    step.ledger.hooks.some((record) => record.name === hook.name && !isSettled(record)),
  )
  const waitingFor = unsettled.map(({ name }) => name).join(', ')
  const why = waitingFor === '' ? `all hooks at ${group.name} have passed` : `at ${group.name}: waits for ${waitingFor}`
  const phase = ledger.phase === 'Pending' && group.pods > 0 ? 'Progressing' : ledger.phase
  const { waitingFor: _, ...rest } = step.ledger
  const next: Ledger = { ...rest, phase, point: group.name, ...(waitingFor === '' ? {} : { waitingFor }) }
  if (waitingFor === '') return goOn(scene, statusWrite(scene, next, why), next, step.writes)
  const isNews = step.ledger !== ledger || ledger.point !== group.name || (ledger.waitingFor ?? '') !== waitingFor
  const writes = isNews ? [statusWrite(scene, next, why), ...step.writes] : step.writes
  return { writes, why, ...(step.wakeAt === undefined ? {} : { wakeAt: step.wakeAt }) }
}

/** What follows the last hook of a point is decided at once, so that one write of the ledger tells both. */
function goOn({ world, compiled, now }: Scene, told: Write, ledger: Ledger, writes: readonly Write[]): Decision {
  const next = advance(world, compiled, ledger, now)
  const [first, ...others] = next.writes
  if (first?.kind === 'status') return { ...next, writes: [first, ...writes, ...others] }
  return { ...next, writes: [told, ...writes, ...next.writes] }
}

/** The ledger says that the gate opens before it does: whoever comes after a crash opens it again, which changes nothing. */
function open(scene: Scene, group: HookGroup | undefined): Decision {
  const { workload, ledger, view } = scene
  const why = 'every hook that had to hold the rollout has passed'
  const { waitingFor: _, ...rest } = ledger
  const next: Ledger = { ...rest, phase: 'Finishing', point: group?.name ?? '100%', moved: true }
  return {
    writes: [statusWrite(scene, next, why), { kind: 'workload', patch: strategyOf(workload).open(view.saved) }],
    why,
  }
}

/** The ledger said so before, but the workload was not reached. */
function letGo({ workload, view }: Scene): Decision {
  const patch = strategyOf(workload).open(view.saved)
  return { writes: [{ kind: 'workload', patch }], why: 'the gate is opened' }
}

function finish(scene: Scene): Decision {
  const { world, workload, ledger, progress, now, compiled } = scene
  if (ledger.phase !== 'Finishing') return open(scene, undefined)
  if (isHeld(workload)) return letGo(scene)
  if (!progress.complete) {
    const why = 'the native controller finishes the rollout'
    // What a Deployment says of its pods is enough; and it says so after every one of them.
    return stalled(scene) ?? { writes: [], why, ...wake(scene), standsStill: workload.kind === 'Deployment' }
  }
  const message = `${wordOf(ledger)} to ${ledger.to} is complete`
  const rollout = ended(ledger, 'Complete', now, message)
  const history = historyWith(world.policy, rollout, compiled.historyLimit)
  const status = statusWith(world.policy, { state: 'ready', reason: 'Complete', message }, { rollout, history }, now)
  return {
    writes: [
      { kind: 'status', status },
      { kind: 'event', type: 'Normal', reason: 'RolloutComplete', message, isRoutine: true },
    ],
    why: message,
  }
}

function isHeld({ metadata }: Workload): boolean {
  return metadata.labels?.[holdLabel] !== undefined
}

function sameJson(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b)
}
