/** Puts the world of one policy together from the caches and from what this process did itself. */
import { describeFailure, type HookObject, type Observation, type Run } from '../../hooks/index.ts'
import type { Instant } from '../../runtime/index.ts'
import { runOf } from '../ledger/index.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import type { Caches } from './caches.ts'
import { targetOf } from './packed.ts'
import type { PodState, Revision, RunState, World } from './world.ts'

/** What can tell how a run is. */
interface Executor {
  observe(run: Run): Observation
}

/** What is known without the caches. */
export interface Observer extends Pick<World, 'engine' | 'gate'> {
  readonly executors: readonly Executor[]
  /** Whether the Job or pod is being removed. */
  isLeaving(object: HookObject): boolean
  /** Whether this process has deleted the pod, whatever the caches show. */
  hasDeleted(pod: PodState): boolean
  /** When this process started the run, if it did. */
  startOf(run: Run): Instant | undefined
}

export function observe(caches: Caches, observer: Observer, policy: RolloutPolicy): World {
  const { namespace = '', name } = policy.metadata
  const { kind, name: target } = policy.spec.targetRef
  const workload = caches.workloads[kind]?.get(`${namespace}/${target}`)?.open()
  const rivals = caches.policies.by('target', targetOf(kind, namespace, target))
  const owner = rivals.length < 2 ? name : oldestOf(rivals.map((rival) => rival.open()))
  const revisions = workload === undefined ? [] : revisionsOf(caches, workload)
  return {
    engine: observer.engine,
    gate: observer.gate,
    policy,
    compiled: caches.compiled.of(policy),
    workload,
    ...(workload === undefined
      ? { templateHash: undefined }
      : caches.hashes.of(workload, () => workload.spec.template)),
    owner: owner === name ? undefined : owner,
    revisions,
    pods: (workload === undefined ? [] : podsOf(caches, workload, revisions)).map((pod) =>
      observer.hasDeleted(pod) ? { ...pod, isEnding: true } : pod,
    ),
    hookObjects: caches.hooks
      .flatMap((cache) => cache.by('policy', `${namespace}/${name}`))
      .filter((object) => !observer.isLeaving(object)),
    runs: workload === undefined ? {} : runsOf(observer, caches, policy, workload),
  }
}

/** The name of the oldest policy: the workload belongs to it. */
function oldestOf(rivals: readonly RolloutPolicy[]): string | undefined {
  return rivals.toSorted(byAge)[0]?.metadata.name
}

function byAge(a: RolloutPolicy, b: RolloutPolicy): number {
  const [first = '', second = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
  return first < second || (first === second && a.metadata.name < b.metadata.name) ? -1 : 1
}

function revisionsOf({ revisions }: Caches, { metadata }: Workload): readonly Revision[] {
  return revisions
    .flatMap((cache) => cache.by('owner', metadata.uid ?? ''))
    .map(({ value }) => value)
    .toSorted(visibleFirst)
}

/** Of two revisions with the same template, the one that the native controller sees comes first and is used. */
function visibleFirst(a: Revision, b: Revision): number {
  return Number(a.isHidden ?? false) - Number(b.isHidden ?? false) || (a.name < b.name ? -1 : 1)
}

function podsOf({ pods }: Caches, { kind, metadata }: Workload, revisions: readonly Revision[]): readonly PodState[] {
  const owners = kind === 'Deployment' ? revisions.map(({ uid }) => uid) : [metadata.uid ?? '']
  return owners
    .flatMap((owner) => pods.by('owner', owner))
    .map(({ value }) => value)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Approvals are read from the policy's annotations, and are not among them. */
function runsOf(
  observer: Observer,
  caches: Caches,
  { status }: RolloutPolicy,
  workload: Workload,
): Readonly<Record<string, RunState>> {
  const ledger = status?.rollout
  if (ledger === undefined) return {}
  const running = ledger.hooks.filter(({ state }) => state === 'Running')
  return Object.fromEntries(
    running.map((record): [string, RunState] => {
      const run = runOf(workload, ledger, record)
      const startedHere = observer.startOf(run)
      const observation = withPodFailure(caches, observationOf(observer.executors, run))
      return [record.name, { observation, ...(startedHere === undefined ? {} : { startedHere }) }]
    }),
  )
}

function observationOf(executors: readonly Executor[], run: Run): Observation {
  const seen = executors.map((executor) => executor.observe(run))
  return seen.find(({ state }) => state !== 'absent') ?? { state: 'absent' }
}

/** A Job says that it failed, and its last pod why; a cache may not show that pod yet, or any more. */
function withPodFailure({ pods }: Caches, seen: Observation): Observation {
  if (seen.state !== 'failed' || seen.object?.kind !== 'Job') return seen
  const failures = pods.by('owner', seen.object.uid).flatMap(({ failure }) => failure ?? [])
  const last = failures.toSorted((a, b) => b.at - a.at)[0]
  if (last === undefined) return seen
  return { ...seen, message: `${seen.message}; pod ${last.object?.name}: ${describeFailure(last)}` }
}
