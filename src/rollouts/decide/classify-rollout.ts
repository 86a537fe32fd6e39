/** Finds out where a rollout under way is: the next point whose hooks have not passed, and whether the workload has reached it. */
import type { Instant } from '../../runtime/index.ts'
import { holdLabel } from '../labels.ts'
import { isSettled, savedOf } from '../ledger/index.ts'
import type { Revision } from '../observe/index.ts'
import { groupsOf, type HookGroup } from '../points/hook-groups.ts'
import type { Ledger } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { isRecreated, strategyOf, type View } from '../strategies/index.ts'
import type { RolloutScene, Situation } from './situation.ts'

export function classifyRollout(
  { world, compiled, ledger }: Pick<RolloutScene, 'world' | 'compiled' | 'ledger'>,
  now: Instant,
): Situation {
  const { workload, revisions, pods } = world
  const existing = revisions.find(({ templateHash }) => templateHash === ledger.templateHash)
  if (existing === undefined && workload.kind !== 'Deployment')
    return { name: 'AwaitingRevision', why: 'the new revision is made' }
  const target = existing ?? expectedRevision(ledger, now)
  const saved = savedOf(ledger, workload)
  const view: View = { workload, target, pods, saved, now }
  const strategy = strategyOf(workload)
  const stuck = existing === undefined ? [] : (strategy.stuck?.(view) ?? [])
  const scene: RolloutScene = { world, compiled, ledger, target, view, progress: strategy.progress(view), stuck }
  const group = nextGroup(scene)
  if (existing === undefined) return { name: 'CreatingRevision', scene, group }
  return group === undefined ? classifyEnd(scene) : classifyGroup(scene, group)
}

/** Stands for the ReplicaSet until it is created. */
function expectedRevision({ to: name, templateHash }: Ledger, createdAt: Instant): Revision {
  return { kind: 'ReplicaSet', name, uid: '', number: 0, templateHash, createdAt, annotations: {} }
}

function nextGroup({ compiled, ledger, view: { workload, saved } }: RolloutScene): HookGroup | undefined {
  const strategy = strategyOf(workload)
  const recorded = new Set(ledger.hooks.map(({ name }) => name))
  const hooks = compiled.hooks.filter(({ name }) => recorded.has(name))
  const hasPassed = (hook: { readonly name: string }) =>
    ledger.hooks.some((record) => record.name === hook.name && isSettled(record))
  return groupsOf(hooks, strategy.size(workload, saved), strategy.reach?.(workload, saved)).find(
    (group) => !group.hooks.every(hasPassed),
  )
}

/** Every hook has passed. */
function classifyEnd(scene: RolloutScene): Situation {
  const { ledger, progress, view } = scene
  const group = undefined
  if (ledger.phase !== 'Finishing') return { name: 'OpeningGate', scene, group, isRecorded: false }
  if (isHeld(view.workload)) return { name: 'OpeningGate', scene, group, isRecorded: true }
  return progress.complete ? { name: 'Completing', scene } : { name: 'Finishing', scene, group }
}

function classifyGroup(scene: RolloutScene, group: HookGroup): Situation {
  const { ledger, progress, view } = scene
  const { workload, saved } = view
  const strategy = strategyOf(workload)
  if (group.moment.kind === 'mid') {
    const step = strategy.empty?.(view) ?? { do: 'done' }
    return { name: step.do === 'done' ? 'RunningHooks' : 'Draining', scene, group }
  }
  if (mustBeOpen(group, strategy.size(workload, saved), view)) {
    if (ledger.phase !== 'Finishing') return { name: 'OpeningGate', scene, group, isRecorded: false }
    if (isHeld(workload)) return { name: 'OpeningGate', scene, group, isRecorded: true }
    const isReached = group.moment.kind === 'post' ? progress.complete : progress.available >= group.pods
    return { name: isReached ? 'RunningHooks' : 'Finishing', scene, group }
  }
  if (progress.available < group.pods) return { name: 'MovingTo', scene, group }
  const patch = lowerAllowance(scene, group)
  return patch === undefined
    ? { name: 'RunningHooks', scene, group }
    : { name: 'LoweringAllowance', scene, group, patch }
}

/** Points that no gate can hold: the end, and with the strategy Recreate every point but the start. */
export function mustBeOpen(
  { pods, moment }: HookGroup,
  replicas: number,
  { workload, saved }: Pick<View, 'workload' | 'saved'>,
): boolean {
  if (moment.kind === 'post') return true
  if (pods === 0) return false
  return pods >= replicas || isRecreated(workload, saved)
}

/** After replicas were taken away, the native controller may create more new pods than the point now stands for. */
function lowerAllowance({ view }: RolloutScene, { pods }: HookGroup): object | undefined {
  const strategy = strategyOf(view.workload)
  if (pods === 0 || (strategy.allowance?.(view.workload) ?? 0) <= pods) return undefined
  const step = strategy.advance(view, pods)
  return step.do === 'patch' ? step.patch : undefined
}

function isHeld({ metadata }: Workload): boolean {
  return metadata.labels?.[holdLabel] !== undefined
}
