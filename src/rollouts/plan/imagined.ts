/**
 * A rollout that is imagined: a world in which the template has just changed, native controllers follow at once, every new pod becomes available
 * and every hook passes. Decisions about it say what the engine will do.
 */
import { applyMergePatch } from '../../patch/index.ts'
import type { Json } from '../../runtime/index.ts'
import {
  classifyRollout,
  decide,
  type NewTemplate,
  type Proposal,
  type Situation,
  type TargetWorld,
} from '../decide/index.ts'
import { holdLabel } from '../labels.ts'
import { isActive } from '../ledger/index.ts'
import type { PodState, Revision } from '../observe/index.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { Ledger, RolloutPolicy, RolloutType, TargetKind } from '../policy/types.ts'
import type { DaemonSet, Deployment, StatefulSet, Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'

/** Far enough after the pods became ready for every minReadySeconds. */
const now = Date.UTC(2100)
const [oldHash, newHash] = ['old', 'new']

/** What an undo goes back from. */
const aborted: Ledger = {
  ...{ id: oldHash, type: 'ROLLOUT', phase: 'Aborted', from: newHash, to: oldHash, templateHash: oldHash },
  ...{ startedAt: new Date(0).toISOString(), hooks: [] },
}

export interface Imagined {
  readonly situation: Situation
  readonly proposal: Proposal
  readonly ledger: Ledger
}

/** The decisions from the first one to the end of the rollout, in order. `held` is the workload with the new template and its gate closed. */
export function* imagineRollout(compiled: CompiledPolicy, held: Workload, type: RolloutType): Generator<Imagined> {
  let world = worldAtStart(compiled, held, type)
  const target = world.revisions.find(({ templateHash }) => templateHash === newHash)
  const template: NewTemplate = {
    ...{ world, compiled, target, id: newHash },
    ...{ superseded: undefined, hasMoved: false, isReverted: false, undoOf: undefined },
  }
  let situation: Situation = { name: 'Starting', template }
  for (;;) {
    const proposal = decide(situation, now)
    const ledger = proposal.ledger?.rollout ?? world.policy.status?.rollout
    if (ledger === undefined) return
    yield { situation, proposal, ledger }
    if (!isActive(ledger) || !changesAnything(proposal)) return
    world = followed(world, proposal, { ledger: passed(ledger), situation })
    situation = classifyRollout({ world, compiled, ledger: passed(ledger) }, now)
  }
}

function worldAtStart(compiled: CompiledPolicy, workload: Workload, type: RolloutType): TargetWorld {
  const { kind, metadata } = workload
  const policy: RolloutPolicy = {
    apiVersion: 'carabiner.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'planned', namespace: metadata.namespace ?? '' },
    spec: { targetRef: { apiVersion: 'apps/v1', kind: kind as TargetKind, name: metadata.name } },
    ...(type === 'UNDO' ? { status: { rollout: aborted } } : {}),
  }
  const revisionKind = kind === 'Deployment' ? 'ReplicaSet' : 'ControllerRevision'
  const revision = (hash: string, number: number): Revision => ({
    ...{
      kind: revisionKind,
      name: hash,
      uid: hash,
      number,
      firstNumber: number,
      templateHash: hash,
      createdAt: number,
    },
    annotations: {},
  })
  const older = type === 'CREATE' ? [] : [revision(oldHash, 2)]
  const isOlder = type === 'ROLLBACK' || type === 'UNDO'
  const isMissing = kind === 'Deployment' && !isOlder
  const world: TargetWorld = {
    ...{ engine: 'plan', policy, compiled, workload, templateHash: newHash, owner: undefined },
    ...(type === 'RESTART' ? { hashWithoutRestart: oldHash } : {}),
    gate: { kind: 'policies', problem: undefined },
    revisions: [...older, ...(isMissing ? [] : [revision(newHash, isOlder ? 1 : 3)])],
    ...{ pods: [], hookObjects: [], runs: {} },
  }
  const pods = type === 'CREATE' ? [] : podsOf(workload, () => oldHash)
  return { ...world, workload: withStatus(workload, pods), pods }
}

function changesAnything({ ledger, gate, create, pods = [] }: Proposal): boolean {
  return ledger !== undefined || gate !== undefined || create !== undefined || pods.length > 0
}

/** Every hook that runs succeeds. */
function passed(ledger: Ledger): Ledger {
  const hooks = ledger.hooks.map((record) =>
    record.state === 'Running' ? { ...record, state: 'Succeeded' as const } : record,
  )
  return { ...ledger, hooks }
}

interface Next {
  readonly ledger: Ledger
  /** What was decided about. */
  readonly situation: Situation
}

function followed(world: TargetWorld, { gate, create }: Proposal, { ledger, situation }: Next): TargetWorld {
  const patch = gate?.kind === 'workload' ? gate.patch : {}
  const workload = applyMergePatch(world.workload as unknown as Json, patch as Json) as unknown as Workload
  const created: Revision = {
    ...{ kind: 'ReplicaSet', name: ledger.to, uid: newHash, number: 3, templateHash: newHash, createdAt: 3 },
    annotations: {},
  }
  const after = podsAfter(workload, world.pods, situation.name === 'MovingTo' ? situation.group.pods : 0)
  return {
    ...world,
    workload: withStatus(workload, after),
    revisions: create === undefined ? world.revisions : [...world.revisions, created],
    pods: after,
    policy: { ...world.policy, status: { rollout: ledger } },
  }
}

/**
 * What the native controller makes of the pods in the end. On the way to a point of `wanted` new pods, all but the last step are skipped: that one
 * says what holds the rollout at the point.
 */
function podsAfter(workload: Workload, before: readonly PodState[], wanted: number): readonly PodState[] {
  const isHeld = workload.metadata.labels?.[holdLabel] !== undefined
  if (workload.kind === 'DaemonSet') {
    if (!isHeld && !isByHand(workload)) return podsOf(workload, () => newHash)
    return before.map((pod, index) => (index < wanted ? { ...pod, revision: newHash } : pod))
  }
  if (workload.kind === 'StatefulSet') {
    const { updateStrategy, replicas = 1 } = (workload as StatefulSet).spec
    const partition = Math.min(replicas, updateStrategy?.rollingUpdate?.partition ?? 0)
    return podsOf(workload, (index) => (index >= partition ? newHash : (before[index]?.revision ?? newHash)))
  }
  const { paused, replicas = 1, strategy } = (workload as Deployment).spec
  if (replicas === 0) return []
  if (paused === true) return before
  if (!isHeld) return podsOf(workload, () => newHash)
  const { maxSurge = 0, maxUnavailable = 0 } = strategy?.rollingUpdate ?? {}
  const fresh = Math.max(Math.min(replicas, Number(maxSurge) + Number(maxUnavailable)), wanted - 1)
  const old = before.length === 0 ? 0 : replicas - Number(maxUnavailable)
  return [...podsNamed(oldHash, old), ...podsNamed(newHash, fresh)]
}

function isByHand(workload: Workload): boolean {
  return (workload as DaemonSet).spec.updateStrategy?.type === 'OnDelete'
}

function podsOf(workload: Workload, revisionOf: (index: number) => string): readonly PodState[] {
  const start = (workload as StatefulSet).spec.ordinals?.start ?? 0
  return Array.from({ length: strategyOf(workload).size(workload, {}) }, (_, index) =>
    podNamed(`pod-${start + index}`, revisionOf(index)),
  )
}

function podsNamed(revision: string, count: number): readonly PodState[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => podNamed(`${revision}-${index}`, revision))
}

function podNamed(name: string, revision: string): PodState {
  return { name, uid: name, revision, readySince: 0, isEnding: false, isFailed: false }
}

/** New pods of a Deployment that is held between two points never count as available, as its minReadySeconds has no end. */
function withStatus(workload: Workload, pods: readonly PodState[]): Workload {
  const updated = pods.filter(({ revision }) => revision === newHash).length
  const isStepped = workload.metadata.labels?.[holdLabel] === 'step'
  const counts = {
    ...{ observedGeneration: Number.MAX_SAFE_INTEGER, replicas: pods.length, readyReplicas: pods.length },
    updatedReplicas: updated,
    availableReplicas: isStepped && workload.kind === 'Deployment' ? pods.length - updated : pods.length,
    ...{ updatedNumberScheduled: updated, numberAvailable: pods.length },
  }
  return { ...workload, status: { ...workload.status, ...counts } } as Workload
}
