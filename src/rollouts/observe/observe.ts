/** Puts the world of one policy together from the caches. */
import type { HookObject, Observation, Run } from '../../hooks/index.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import type { Caches } from './caches.ts'
import { targetOf } from './packed.ts'
import type { PodState, Revision, World } from './world.ts'

/** What can tell what became of a run. */
interface Executor {
  observe(run: Run): Observation
}

/** What the engine knows without looking. */
interface Self extends Pick<World, 'engine' | 'gate' | 'startedHere'> {
  /** Whether the Job or pod is as good as removed. */
  leaves(object: HookObject): boolean
  /** Whether it has deleted the pod, whatever the caches show. */
  deleted(pod: PodState): boolean
}

export function observe(
  caches: Caches,
  executors: readonly Executor[],
  { gate, leaves, deleted, ...self }: Self,
  policy: RolloutPolicy,
): World {
  const { namespace = '', name } = policy.metadata
  const { kind, name: target } = policy.spec.targetRef
  const workload = caches.workloads[kind]?.get(`${namespace}/${target}`)?.open()
  const rivals = caches.policies.by('target', targetOf(kind, namespace, target))
  const owner = rivals.length < 2 ? name : oldestOf(rivals.map((rival) => rival.open()))
  const revisions = workload === undefined ? [] : revisionsOf(caches, workload)
  return {
    ...self,
    gate,
    policy,
    workload,
    templateHash: workload && caches.hashes.of(workload, () => workload.spec.template),
    owner: owner === name ? undefined : owner,
    revisions,
    pods: (workload === undefined ? [] : podsOf(caches, workload, revisions)).map((pod) =>
      deleted(pod) ? { ...pod, isEnding: true } : pod,
    ),
    hookObjects: caches.hooks
      .flatMap((cache) => cache.by('policy', `${namespace}/${name}`))
      .filter((object) => !leaves(object)),
    observe(run) {
      const seen = executors.map((executor) => executor.observe(run))
      return seen.find((one) => one.state !== 'absent') ?? { state: 'absent' }
    },
  }
}

/** The name of the policy that keeps the workload. */
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
    .toSorted(bySight)
}

/** Of two with the same template the one that the native controller sees is meant. */
function bySight(a: Revision, b: Revision): number {
  return Number(a.isApart ?? false) - Number(b.isApart ?? false) || (a.name < b.name ? -1 : 1)
}

function podsOf({ pods }: Caches, { kind, metadata }: Workload, revisions: readonly Revision[]): readonly PodState[] {
  const owners = kind === 'Deployment' ? revisions.map(({ uid }) => uid) : [metadata.uid ?? '']
  return owners
    .flatMap((owner) => pods.by('owner', owner))
    .map(({ value }) => value)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
