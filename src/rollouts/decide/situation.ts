/**
 * Every situation a policy can be found in, with the fields that its decision is made from. `situations` says in a sentence what each one
 * is, which condition the policy has in it, and what may be written.
 */

import type { PodState, Revision, World } from '../observe/index.ts'
import type { HookGroup } from '../points/hook-groups.ts'
import type { CompiledPolicy, PolicyProblem } from '../policy/compile.ts'
import type { Ledger } from '../policy/types.ts'
import type { Progress, View } from '../strategies/index.ts'
import type { Phases } from './decision.ts'
import type { Verdict } from './status.ts'
import type { TargetWorld } from './target-world.ts'

/** A rollout under way. */
export interface RolloutScene {
  readonly world: TargetWorld
  readonly compiled: CompiledPolicy
  readonly ledger: Ledger
  /** The revision that is rolled out; one without a uid when it does not exist yet. */
  readonly target: Revision
  readonly view: View
  readonly progress: Progress
  /** Old pods that the native controller waits for without end. */
  readonly stuck: readonly PodState[]
}

/** A template that no rollout has begun for. */
export interface NewTemplate {
  readonly world: TargetWorld
  readonly compiled: CompiledPolicy
  readonly id: string
  /** The revision of the template, if it exists. */
  readonly target: Revision | undefined
  /** The rollout under way that the template ends. */
  readonly superseded: Ledger | undefined
  /** Pods may have changed since the last complete rollout. */
  readonly hasMoved: boolean
  /** All pods have this template already. */
  readonly isReverted: boolean
  /** The rollout whose recorded way back leads to this template. */
  readonly undoOf: string | undefined
}

/** Fields by the name of the situation. */
interface Fields {
  CacheBehind: { readonly why: string }
  Deleted: { readonly world: World }
  GateMissing: { readonly world: World; readonly problem: string }
  InvalidPolicy: { readonly world: World; readonly problems: readonly PolicyProblem[] }
  TargetNotFound: { readonly world: World }
  TargetTaken: { readonly world: World; readonly message: string }
  SurgeNotSupported: { readonly world: World; readonly message: string }
  ContainerNotFound: { readonly world: World; readonly message: string }
  RecreateNeeded: { readonly world: World; readonly message: string }
  NotAdopted: { readonly world: TargetWorld }
  RolloutReleased: { readonly world: TargetWorld; readonly ledger: Ledger; readonly reason: string }
  HoldReleased: { readonly world: TargetWorld }
  AbortRequested: { readonly world: TargetWorld; readonly compiled: CompiledPolicy; readonly ledger: Ledger }
  FailureStillReported: { readonly world: TargetWorld }
  Aborting: { readonly world: TargetWorld; readonly compiled: CompiledPolicy; readonly ledger: Ledger }
  AwaitingRevision: { readonly why: string }
  CreatingRevision: { readonly scene: RolloutScene; readonly group: HookGroup | undefined }
  MovingTo: { readonly scene: RolloutScene; readonly group: HookGroup }
  LoweringAllowance: { readonly scene: RolloutScene; readonly group: HookGroup; readonly patch: object }
  Draining: { readonly scene: RolloutScene; readonly group: HookGroup }
  RunningHooks: { readonly scene: RolloutScene; readonly group: HookGroup }
  OpeningGate: { readonly scene: RolloutScene; readonly group: HookGroup | undefined; readonly isRecorded: boolean }
  Finishing: { readonly scene: RolloutScene; readonly group: HookGroup | undefined }
  Completing: { readonly scene: RolloutScene }
  RetryRequested: { readonly world: TargetWorld; readonly compiled: CompiledPolicy; readonly ledger: Ledger }
  UndoRequested: { readonly world: TargetWorld; readonly ledger: Ledger }
  Undoing: { readonly world: TargetWorld; readonly ledger: Ledger }
  OpenedByOther: { readonly world: TargetWorld; readonly ledger: Ledger; readonly reason: string }
  PausedByOwner: { readonly world: TargetWorld }
  Aborted: { readonly world: TargetWorld; readonly ledger: Ledger }
  Suspended: { readonly world: TargetWorld }
  Released: { readonly world: TargetWorld }
  AtRest: { readonly world: TargetWorld }
  GateOpenToYou: { readonly world: TargetWorld; readonly revision: Revision }
  RestingOpen: { readonly world: TargetWorld; readonly patch: object }
  Reverted: { readonly template: NewTemplate }
  Starting: { readonly template: NewTemplate }
  Superseded: { readonly template: NewTemplate }
}

export type SituationName = keyof Fields
export type SituationOf<N extends SituationName> = { readonly [K in N]: { readonly name: K } & Fields[K] }[N]
export type Situation = SituationOf<SituationName>

type Phase = keyof Phases

/** What each phase of a decision writes, in the order of writing. */
export const phaseSentences: Readonly<Record<Phase, string>> = {
  gone: 'Nothing: objects that must be gone on the API server, or the decision is dropped.',
  adopt: 'The finalizer of the policy.',
  before: 'Annotations of revisions, and what the native controller may see while the gate is closed.',
  ledger: 'The status of the policy with its ledger.',
  cancel: 'Ends runs of hooks and removes their objects.',
  events: 'Events about what the ledger has recorded.',
  remove: 'Removes the objects of ended runs that are not retained.',
  create: 'The ReplicaSet of the new template.',
  start: 'The Jobs, pods and requests of hooks.',
  unhide: 'Shows the new ReplicaSet to the native controller.',
  gate: 'The workload: its gate, its template, or the failure in its status.',
  after: 'Shows the other ReplicaSets to the native controller.',
  pods: 'Deletes pods that are to be replaced.',
  finalEvents: 'Events about what the writes before have done.',
  finalLedger: 'The status of the policy, when it gives the ledger up.',
  tidy: 'Removes objects of hooks that nothing needs any more.',
  release: 'Removes the finalizer of the policy.',
  requests: 'Removes annotations whose requests are answered.',
}

interface SituationFacts {
  readonly sentence: string
  /** What the decision itself may write; hidden ReplicaSets, leftovers and answered requests may be dealt with in every situation but CacheBehind. */
  readonly writes: readonly Phase[]
  /** The policy's condition. Absent where the ledger's phase is the reason, or nothing is said. */
  readonly condition?: Pick<Verdict, 'state' | 'reason'>
}

const stalled = <R extends string>(reason: R) => ({ state: 'stalled', reason }) as const
const ready = <R extends string>(reason: R) => ({ state: 'ready', reason }) as const
const reconciling = <R extends string>(reason: R) => ({ state: 'reconciling', reason }) as const

export const situations = {
  CacheBehind: {
    sentence: 'A cache does not show yet what the ledger or the history records; it will.',
    writes: [],
  },
  Deleted: {
    sentence: 'The policy is being deleted: the workload becomes as its owner had it, and the finalizer goes.',
    writes: ['cancel', 'gate', 'release'],
  },
  GateMissing: {
    sentence: 'No gate holds changed templates in this cluster.',
    writes: ['ledger'],
    condition: stalled('GateMissing'),
  },
  InvalidPolicy: {
    sentence: 'The policy has a field that the API server could not check.',
    writes: ['ledger'],
    condition: stalled('InvalidPolicy'),
  },
  TargetNotFound: {
    sentence: 'The workload does not exist.',
    writes: ['ledger'],
    condition: stalled('TargetNotFound'),
  },
  TargetTaken: {
    sentence: 'The workload belongs to an older policy.',
    writes: ['ledger'],
    condition: stalled('TargetTaken'),
  },
  SurgeNotSupported: {
    sentence: 'The workload is a DaemonSet with a maxSurge, which cannot be held.',
    writes: ['ledger'],
    condition: stalled('SurgeNotSupported'),
  },
  ContainerNotFound: {
    sentence: 'A hook copies a container that the template does not have, or takes its image.',
    writes: ['ledger'],
    condition: stalled('ContainerNotFound'),
  },
  RecreateNeeded: {
    sentence: 'A hook runs at mid, and the Deployment does not recreate its pods.',
    writes: ['ledger'],
    condition: stalled('RecreateNeeded'),
  },
  NotAdopted: {
    sentence: 'The workload does not have the label of the policy yet, or the policy not the finalizer.',
    writes: ['adopt', 'gate'],
  },
  RolloutReleased: {
    sentence: 'The rollout under way goes on without its hooks: it was released, or the policy is suspended.',
    writes: ['cancel', 'gate', 'finalLedger'],
    condition: ready('Cancelled'),
  },
  HoldReleased: {
    sentence: 'The workload is held, and no hook is to run: it was released, or the policy is suspended.',
    writes: ['gate'],
  },
  AbortRequested: {
    sentence: 'A person wants the rollout under way to end.',
    writes: ['ledger', 'cancel', 'gate', 'finalEvents'],
    condition: stalled('Aborted'),
  },
  FailureStillReported: {
    sentence: 'The Deployment still reports the failure of an earlier rollout.',
    writes: ['gate'],
  },
  Aborting: {
    sentence:
      'The rollout was aborted: the workload is frozen, the failure reported, the hooks for an abort run, and the end recorded.',
    writes: ['before', 'gone', 'ledger', 'cancel', 'events', 'remove', 'start', 'gate'],
    condition: stalled('Aborted'),
  },
  AwaitingRevision: {
    sentence: 'The native controller has not created the ControllerRevision of the template yet.',
    writes: ['before'],
  },
  CreatingRevision: {
    sentence: 'The ReplicaSet of the template does not exist; a paused Deployment does not create it.',
    writes: ['before', 'ledger', 'events', 'create', 'start'],
  },
  MovingTo: {
    sentence: 'The workload moves to the next point and no further.',
    writes: ['before', 'ledger', 'gate', 'pods', 'finalEvents'],
  },
  LoweringAllowance: {
    sentence:
      'The workload has fewer replicas than before: the native controller may create fewer new pods at this point.',
    writes: ['before', 'gate', 'pods'],
  },
  Draining: {
    sentence: 'The old pods end before the hooks at mid, as the strategy Recreate demands.',
    writes: ['before', 'ledger', 'gate', 'pods'],
  },
  RunningHooks: {
    sentence:
      'The workload has reached a point, and its hooks run. When all have passed, what follows is decided at once.',
    writes: ['before', 'gone', 'ledger', 'cancel', 'events', 'remove', 'start', 'gate', 'pods', 'finalEvents'],
  },
  OpeningGate: {
    sentence: 'No hook has to hold the rollout any more: the native controller finishes it.',
    writes: ['before', 'ledger', 'gate', 'pods'],
  },
  Finishing: {
    sentence: 'The gate is open, and the native controller replaces the rest of the pods.',
    writes: ['before', 'ledger', 'gate', 'pods', 'finalEvents'],
  },
  Completing: {
    sentence: 'Every pod has the new template and every hook has passed.',
    writes: ['before', 'ledger', 'events', 'pods'],
    condition: ready('Complete'),
  },
  RetryRequested: {
    sentence: 'A person wants the aborted rollout to be retried.',
    writes: ['ledger', 'events'],
    condition: reconciling('Retried'),
  },
  UndoRequested: {
    sentence: 'A person wants the ended rollout to be undone: the way back is recorded.',
    writes: ['ledger'],
    condition: reconciling('Undone'),
  },
  Undoing: {
    sentence: 'The way back is recorded: the workload gets the template of the earlier revision.',
    writes: ['gate', 'finalEvents'],
  },
  OpenedByOther: {
    sentence:
      'The gate of a rollout under way was opened by someone else, or the workload was deleted and created again.',
    writes: ['ledger', 'events'],
    condition: ready('Cancelled'),
  },
  PausedByOwner: {
    sentence: 'The owner has paused the Deployment; hooks begin when it is resumed.',
    writes: ['ledger'],
    condition: reconciling('PausedByOwner'),
  },
  Aborted: {
    sentence:
      'The last rollout was aborted; the workload stays as it is until it is retried, undone or given another template.',
    writes: ['ledger'],
    condition: stalled('Aborted'),
  },
  Suspended: {
    sentence: 'The policy is suspended: rollouts pass without hooks.',
    writes: ['ledger'],
    condition: ready('Suspended'),
  },
  Released: {
    sentence: 'The workload has the release label: rollouts pass without hooks.',
    writes: ['ledger'],
    condition: ready('Released'),
  },
  AtRest: {
    sentence: 'No rollout is under way.',
    writes: ['ledger'],
    condition: ready('AtRest'),
  },
  GateOpenToYou: {
    sentence: 'A template rolled out without hooks although the policy was ready: the gate is open to its writer.',
    writes: ['ledger', 'events'],
    condition: stalled('GateOpenToYou'),
  },
  RestingOpen: {
    sentence: 'No rollout is under way, and a gate at rest is to be closed until a template changes.',
    writes: ['gate'],
  },
  Reverted: {
    sentence: 'The template is again that of all running pods: nothing has to be rolled out.',
    writes: ['cancel', 'gate', 'finalLedger'],
    condition: ready('Reverted'),
  },
  Starting: {
    sentence: 'A changed template is held, and its rollout begins.',
    writes: ['ledger', 'cancel', 'events', 'create', 'start'],
    condition: reconciling('Pending'),
  },
  Superseded: {
    sentence: 'A newer template ends the rollout under way, and its own rollout begins.',
    writes: ['ledger', 'cancel', 'events', 'create', 'start'],
    condition: reconciling('Pending'),
  },
} as const satisfies { readonly [N in SituationName]: SituationFacts }

type WithCondition = {
  [N in SituationName]: (typeof situations)[N] extends { readonly condition: object } ? N : never
}[SituationName]

/** The condition of a policy in this situation. */
export function verdictOf(name: WithCondition, message: string): Verdict {
  return { ...situations[name].condition, message }
}
