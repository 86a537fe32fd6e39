/**
 * The engine's one decision: from what is observed of a policy and its workload to what to do next. Pure: the same world has the same decision,
 * in every process and after every crash.
 */
import type { Instant } from '../../runtime/index.ts'
import type { World } from '../observe/index.ts'
import type { RolloutPolicyStatus } from '../policy/types.ts'
import { decideAbortRequested } from './abort.ts'
import { decideAborting } from './aborting.ts'
import {
  decideAborted,
  decideAtRest,
  decideOpenedByOther,
  decidePausedByOwner,
  decideReleased,
  decideRestingOpen,
  decideSuspended,
} from './at-rest.ts'
import { decideGateOpenToYou, seenTemplate } from './bypassed.ts'
import { classify } from './classify.ts'
import { classifyRollout } from './classify-rollout.ts'
import { type Decision, guardOf, noPhases, type Phases, type Proposal, writesOf } from './decision.ts'
import { decideDeleted, decideNotAdopted } from './finalizer.ts'
import { decideCompleting, decideFinishing, decideOpeningGate } from './finishing.ts'
import { leftovers } from './leftovers.ts'
import { decideDraining, decideLoweringAllowance, decideMovingTo, deletionOf } from './moving-to.ts'
import { ignoringPreviousWorkload } from './previous-workload.ts'
import { decideGateMissing, decideInvalidPolicy, decideObstacle, decideTargetNotFound } from './problems.ts'
import { decideHoldReleased, decideRolloutReleased } from './released.ts'
import { decideFailureStillReported, isFailureStillReported } from './reported-failure.ts'
import { clearedRequests, decideRetryRequested, decideUndoRequested } from './requests.ts'
import { annotationWrites } from './revision-annotations.ts'
import { decideCreatingRevision, runHooks, withNext } from './running-hooks.ts'
import type { NewTemplate, RolloutScene, Situation, SituationName, SituationOf } from './situation.ts'
import { decideReverted, decideStarting, withFirstHooks } from './starting.ts'
import { decideUndoing } from './undo.ts'
import { visibilityFor } from './visibility.ts'

export interface Decided {
  readonly situation: Situation
  readonly decision: Decision
}

export function decideNext(observed: World, now: Instant): Decided {
  const world = ignoringPreviousWorkload(observed)
  if (isBehind(world)) {
    const why = 'the workload is not yet seen as the ledger knows it'
    return { situation: { name: 'CacheBehind', why }, decision: { ...noPhases, guard: 'versions', why } }
  }
  const situation = classify(world, now)
  return { situation, decision: complete(world, decide(situation, now)) }
}

/** Caches are filled independently: a new process may have the policy with its ledger, and not yet the template that the ledger is about. */
function isBehind({ policy, workload }: World): boolean {
  const seen = policy.status?.rollout?.workload
  if (seen === undefined || workload?.metadata.uid !== seen.uid) return false
  return (workload.metadata.generation ?? 0) < seen.generation
}

type Deciders = { readonly [N in SituationName]: (situation: SituationOf<N>, now: Instant) => Proposal }

const deciders: Deciders = {
  CacheBehind: ({ why }) => ({ why }),
  Deleted: decideDeleted,
  GateMissing: decideGateMissing,
  InvalidPolicy: decideInvalidPolicy,
  TargetNotFound: decideTargetNotFound,
  TargetTaken: decideObstacle,
  SurgeNotSupported: decideObstacle,
  ContainerNotFound: decideObstacle,
  RecreateNeeded: decideObstacle,
  NotAdopted: decideNotAdopted,
  RolloutReleased: decideRolloutReleased,
  HoldReleased: decideHoldReleased,
  AbortRequested: decideAbortRequested,
  FailureStillReported: (_, now) => decideFailureStillReported(now),
  Aborting: decideAborting,
  AwaitingRevision: ({ why }) => ({ why }),
  CreatingRevision: decideCreatingRevision,
  MovingTo: decideMovingTo,
  LoweringAllowance: decideLoweringAllowance,
  Draining: decideDraining,
  RunningHooks: decideRunningHooks,
  OpeningGate: decideOpeningGate,
  Finishing: decideFinishing,
  Completing: decideCompleting,
  RetryRequested: decideRetryRequested,
  UndoRequested: decideUndoRequested,
  Undoing: decideUndoing,
  OpenedByOther: decideOpenedByOther,
  PausedByOwner: decidePausedByOwner,
  Aborted: decideAborted,
  Suspended: decideSuspended,
  Released: decideReleased,
  AtRest: decideAtRest,
  GateOpenToYou: decideGateOpenToYou,
  RestingOpen: decideRestingOpen,
  Reverted: ({ template }, now) => decideReverted(template, now),
  Starting: ({ template }, now) => decideStart(template, now),
  Superseded: ({ template }, now) => decideStart(template, now),
}

export function decide(situation: Situation, now: Instant): Proposal {
  const proposal = decideAlone(situation, now)
  if ('scene' in situation) return withReports(situation.scene, withoutStuckPods(situation.scene, proposal))
  return situation.name === 'Aborting' ? withReports(situation, proposal) : proposal
}

function decideAlone(situation: Situation, now: Instant): Proposal {
  return (deciders[situation.name] as (given: Situation, now: Instant) => Proposal)(situation, now)
}

function decideRunningHooks(situation: SituationOf<'RunningHooks'>, now: Instant): Proposal {
  const step = runHooks(situation, now)
  if (step.passed === undefined) return step.proposal
  const next = classifyRollout({ ...situation.scene, ledger: step.passed }, now)
  return withNext(step, decideAlone(next, now))
}

function decideStart(template: NewTemplate, now: Instant): Proposal {
  const { world, compiled } = template
  const { proposal, ledger } = decideStarting(template, now)
  if (isFailureStillReported(world.workload)) return proposal
  const policy = { ...world.policy, ...(proposal.ledger === undefined ? {} : { status: proposal.ledger }) }
  const first = classifyRollout({ world: { ...world, policy }, compiled, ledger }, now)
  return withFirstHooks(proposal, decide(first, now))
}

/** Old pods that the native controller waits for without end are deleted. */
function withoutStuckPods({ stuck }: RolloutScene, proposal: Proposal): Proposal {
  return stuck.length === 0 ? proposal : { ...proposal, pods: [...(proposal.pods ?? []), ...stuck.map(deletionOf)] }
}

/** Annotations of the revision say how its hooks ended. */
function withReports(
  { world, compiled, ledger }: Pick<RolloutScene, 'world' | 'compiled' | 'ledger'>,
  proposal: Proposal,
): Proposal {
  const annotations = annotationWrites(world, compiled, proposal.ledger?.rollout ?? ledger)
  return annotations.length === 0 ? proposal : { ...proposal, before: annotations }
}

/** Adds what is done in every situation. */
function complete(world: World, proposal: Proposal): Decision {
  const { wakeAt, isSteady, why, ...phases } = proposal
  const decided: Phases = { ...noPhases, ...phases }
  const visibility = visibilityFor(world, proposal)
  const ledger = decided.ledger === undefined ? changedGate(world, decided) : withSeen(world, decided.ledger)
  const requests = clearedRequests(world)
  const all: Phases = {
    ...decided,
    ...visibility,
    before: [...visibility.before, ...decided.before],
    ...(ledger === undefined ? {} : { ledger }),
    ...(decided.finalLedger === undefined ? {} : { finalLedger: withSeen(world, decided.finalLedger) }),
    tidy: leftovers(world),
    ...(requests === undefined ? {} : { requests }),
  }
  return {
    ...all,
    guard: guardOf(all, world.workload),
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(isSteady === undefined ? {} : { isSteady }),
    why,
  }
}

/** Another gate than before is recorded even when nothing else is. */
function changedGate({ policy: { status }, gate }: World, decided: Phases): RolloutPolicyStatus | undefined {
  if (status === undefined || status.gate === gate.kind || writesOf(decided).length > 0) return undefined
  return { ...status, gate: gate.kind }
}

/** The ledger records up to which generation of the workload it was decided, so that an engine with an older cache waits. */
function withSeen(world: World, decided: RolloutPolicyStatus): RolloutPolicyStatus {
  const { workload } = world
  const status = { ...decided, gate: world.gate.kind, ...seenTemplate(world, decided) }
  const { rollout } = status
  if (rollout === undefined || workload === undefined) return status
  const { uid = '', generation = 0 } = workload.metadata
  return { ...status, rollout: { ...rollout, workload: { uid, generation } } }
}
