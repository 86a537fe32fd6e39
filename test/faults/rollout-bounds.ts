/** What must hold at every moment of a rollout, found in what was seen of it. */
import { boundsOf } from '../../src/cli/rollout/simulation/invariants.ts'
import type { KubeObject } from '../../src/kube/index.ts'
import { holdLabel } from '../../src/rollouts/labels.ts'
import { parsePoint, podsAt } from '../../src/rollouts/points/point.ts'
import type { Workload } from '../../src/rollouts/policy/workload.ts'
import type { Seen, SeenPod, SeenSet } from './rollout-watch.ts'

const versionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion)
const inOrder = <T extends KubeObject>(objects: readonly T[]): readonly T[] =>
  objects.toSorted((a, b) => versionOf(a) - versionOf(b))
const sizeOf = (set: SeenSet | undefined): number => (set === undefined ? 0 : (set.spec.replicas ?? 1))
/** The replicas of the Deployment for which its controller gave the set this size. */
const sizedFor = (set: SeenSet | undefined): number =>
  Number(set?.metadata.annotations?.['deployment.kubernetes.io/desired-replicas'] ?? 0)
/** The last of them at this version of the cluster. */
const asOf = <T extends KubeObject>(objects: readonly T[], version: number): T | undefined =>
  objects.findLast((one) => versionOf(one) <= version)

/** The workload as its owner wrote it; its strategy is looked at, and nothing else. */
export type Owned = Pick<Workload, 'kind'> & { readonly spec?: object }

const bounds = ({ kind, spec }: Owned, replicas: number) => boundsOf({ kind, spec: spec ?? {} } as Workload, replicas)

export function violations(seen: Seen, owned: Owned): readonly string[] {
  return [...(owned.kind === 'Deployment' ? excesses(seen, owned) : haste(seen)), ...losses(seen, owned)]
}

/**
 * Moments at which there were too many pods, new ones past a point whose hooks ran, or pods of a revision that is neither old nor new. When a
 * Deployment with two revisions is scaled, its native controller shares the pods among both in proportion, at once and in every hold: such a
 * share is no violation, and only a step with another number of replicas than the one before counts as one. A Deployment without pods that is
 * scaled at a point in between gets new pods, which is no violation either.
 */
function excesses({ sets, policies, workloads }: Seen, owned: Owned): readonly string[] {
  const current = new Map<string, SeenSet>()
  const found: string[] = []
  for (const set of inOrder(sets)) {
    const { name } = set.metadata
    const before = current.get(name)
    current.set(name, set)
    if (sizeOf(set) <= sizeOf(before)) continue
    const replicas = sizedFor(set)
    const total = [...current.values()].reduce((sum, one) => sum + sizeOf(one), 0)
    const { most } = bounds(owned, replicas)
    if (total > most) found.push(`${total} pods are wanted, more than ${most}`)
    if (sizeOf(before) > 0 && sizedFor(before) !== replicas) continue
    const hold = asOf(inOrder(workloads), versionOf(set))?.metadata.labels?.[holdLabel]
    if (hold === 'step' && total === sizeOf(set)) continue
    const rollout = asOf(policies, versionOf(set))?.status?.rollout
    if (rollout === undefined || rollout.endedAt !== undefined || rollout.phase === 'Finishing') continue
    if (hold === 'gate' && sizeOf(before) === 0 && name !== rollout.to && name !== rollout.from)
      found.push(`${name} is scaled up before the first pod of ${rollout.to}, which comes from ${rollout.from}`)
    if (rollout.to !== name) continue
    for (const { name: hook, point, state } of rollout.hooks) {
      const bound = boundOf(point, replicas)
      if (state === 'Running' && sizeOf(set) > bound)
        found.push(`${sizeOf(set)} new pods while hook ${hook} at ${point} ran, more than ${bound}`)
    }
  }
  return found
}

/**
 * Pods of the new revision past a point whose hooks ran, where pods are replaced one by one. Pods that existed when the rollout began, or were
 * missing then, do not count; and a StatefulSet that is scaled out gets new pods at once in every hold: only the ordinals from before count.
 */
function haste({ pods, policies, workloads }: Seen): readonly string[] {
  const found: string[] = []
  const current = new Map<string, SeenPod>()
  for (const pod of inOrder(pods)) {
    const { name, uid, deletionTimestamp } = pod.metadata
    const isAnother = current.get(name)?.metadata.uid !== uid
    current.set(name, pod)
    const rollout = asOf(policies, versionOf(pod))?.status?.rollout
    if (!isAnother || deletionTimestamp !== undefined || revisionOf(pod) !== rollout?.to) continue
    if (rollout.endedAt !== undefined || rollout.phase === 'Finishing') continue
    const begun = versionOf(policies.find(({ status }) => status?.rollout?.id === rollout.id) ?? pod)
    const { size, fewest } = sizesBetween(workloads, begun, versionOf(pod))
    const isNew = (one: SeenPod) => revisionOf(one) === rollout.to && !(ordinalOf(one) >= fewest)
    const fresh = [...current.values()].filter((one) => !isEnding(one) && isNew(one)).length
    const atFirst = podsAsOf(pods, begun).filter((one) => !isEnding(one))
    const missing = Math.max(0, sizesBetween(workloads, begun, begun).size - atFirst.length)
    const before = atFirst.filter(isNew).length + missing
    for (const { name: hook, point, state } of rollout.hooks) {
      const bound = Math.max(before, boundOf(point, size))
      if (state === 'Running' && fresh > bound)
        found.push(`${fresh} new pods while hook ${hook} at ${point} ran, more than ${bound}`)
    }
  }
  return found
}

/** The last size of the workload until then, and the smallest it had in between. */
function sizesBetween(
  workloads: Seen['workloads'],
  from: number,
  until: number,
): { readonly size: number; readonly fewest: number } {
  const sizeIn = ({ spec, status }: Replicated) => spec.replicas ?? status?.desiredNumberScheduled ?? 0
  const known = (inOrder(workloads) as readonly Replicated[]).filter((one) => versionOf(one) <= until)
  const size = known.map(sizeIn).at(-1) ?? 0
  return { size, fewest: Math.min(size, ...known.filter((one) => versionOf(one) >= from).map(sizeIn)) }
}

function podsAsOf(pods: Seen['pods'], version: number): readonly SeenPod[] {
  const known = inOrder(pods).filter((pod) => versionOf(pod) <= version)
  return [...new Map(known.map((pod) => [pod.metadata.name, pod])).values()]
}

const isEnding = ({ metadata }: SeenPod): boolean => metadata.deletionTimestamp !== undefined

function revisionOf({ metadata }: SeenPod): string {
  const hash = metadata.labels?.['controller-revision-hash'] ?? ''
  return hash.startsWith('web-') ? hash : `web-${hash}`
}

/** Not a number where pods have none. */
function ordinalOf({ metadata }: SeenPod): number {
  return Number(metadata.labels?.['apps.kubernetes.io/pod-index'])
}

function boundOf(written: string, replicas: number): number {
  const point = parsePoint(written)
  return point === undefined ? replicas : podsAt(point, replicas)
}

const isAvailable = ({ metadata, status }: SeenPod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true

/**
 * Moments at which an available pod was deleted and fewer were left than the owner allows. A pod that fails by itself, or was never created, is no
 * violation: only deletions are held to the bound, for the replicas that were known at that time.
 */
function losses(seen: Seen, owned: Owned): readonly string[] {
  const available = new Set<string>()
  const found: string[] = []
  for (const pod of inOrder(seen.pods)) {
    const uid = pod.metadata.uid ?? ''
    const wasAvailable = available.has(uid)
    if (isAvailable(pod)) available.add(uid)
    else available.delete(uid)
    if (!wasAvailable || pod.metadata.deletionTimestamp === undefined) continue
    const { fewest } = bounds(owned, replicasFor(seen, pod, owned.kind))
    if (available.size < fewest)
      found.push(`${available.size} pods were left without ${pod.metadata.name}, fewer than ${fewest}`)
  }
  return found
}

/** The replicas that the deletion was computed for. */
function replicasFor({ sets, workloads }: Seen, pod: SeenPod, kind: Owned['kind']): number {
  const version = versionOf(pod)
  if (kind === 'Deployment') {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid
    return sizedFor(inOrder(sets).findLast((set) => set.metadata.uid === owner && versionOf(set) <= version))
  }
  const known = inOrder(workloads).filter((one) => versionOf(one) <= version) as readonly Replicated[]
  const latest = known.at(-1)
  if (kind === 'DaemonSet') return latest?.status?.desiredNumberScheduled ?? 0
  const observed = known.findLast(({ metadata }) => metadata.generation === latest?.status?.observedGeneration)
  return Math.min(latest?.spec.replicas ?? 1, observed?.spec.replicas ?? 1)
}

type Replicated = KubeObject & {
  readonly spec: { readonly replicas?: number }
  readonly status?: { readonly observedGeneration?: number; readonly desiredNumberScheduled?: number }
}
