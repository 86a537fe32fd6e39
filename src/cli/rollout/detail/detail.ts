/** Everything that is shown of one policy: its workload, the revisions with their pods, and the pods of its hooks. */
import { isForbidden, labelSelectorText } from '../../../kube/index.ts'
import { type Pod, resources } from '../../../kube/kinds/index.ts'
import { hookLabel, policyLabel, type RolloutPolicy, rolloutLabel, type Workload } from '../../../rollouts/index.ts'
import type { Outcome } from '../../outcome.ts'
import type { Place } from '../../place.ts'
import { outcomeOf } from '../outcome.ts'
import { findTarget } from '../policies.ts'
import { refusalsOf } from '../refusals.ts'
import { imageChange } from './images.ts'
import { type PodState, podState } from './pod-state.ts'
import { type Revision, revisionOf, revisionsOf, templateOf } from './revisions.ts'

export interface WorkloadPod extends PodState {
  /** Name of its revision. */
  readonly revision: string
}

export interface HookPod extends PodState {
  readonly hook: string
}

export interface Detail {
  readonly policy: RolloutPolicy
  readonly outcome: Outcome
  readonly workload?: Workload
  /** Newest first. */
  readonly revisions: readonly Revision[]
  readonly pods: readonly WorkloadPod[]
  /** Those of the rollout in the status. */
  readonly hookPods: readonly HookPod[]
  /** What the rollout changes, as `shop/web:2 → shop/web:3`. */
  readonly images?: string
  /** By the names of hooks: why they have not been started. */
  readonly refusals: ReadonlyMap<string, string>
}

export async function detailOf(place: Place, policy: RolloutPolicy): Promise<Detail> {
  const workload = await findTarget(place, policy)
  const outcome = outcomeOf(policy, workload)
  const refusals = await refusalsOf(place, policy)
  if (workload === undefined) return { policy, outcome, revisions: [], pods: [], hookPods: [], refusals }
  const [revisions, pods, hookPods] = await Promise.all([
    revisionsOf(place, workload),
    podsBy(place, labelSelectorText(workload.spec.selector)),
    hookPodsOf(place, policy),
  ])
  const images = imagesIn(policy, workload, revisions)
  return {
    ...{ policy, outcome, workload, revisions, refusals },
    pods: pods.map((pod) => ({ ...podState(pod), revision: revisionOf(pod) ?? '' })),
    hookPods,
    ...(images === undefined ? {} : { images }),
  }
}

export function imagesIn(
  policy: RolloutPolicy,
  workload: Workload,
  revisions: readonly Revision[],
): string | undefined {
  const { from, to } = policy.status?.rollout ?? {}
  const known = { revisions, workload, policy }
  const template = templateOf(to, known) ?? (to === undefined ? workload.spec.template : undefined)
  return template && imageChange(templateOf(from, known), template)
}

async function hookPodsOf(place: Place, { metadata, status }: RolloutPolicy): Promise<readonly HookPod[]> {
  const { id, hooks = [] } = status?.rollout ?? {}
  if (id === undefined) return []
  const byJob = new Map(
    hooks.flatMap(({ name, object }) => (object?.kind === 'Job' ? [[object.name, name] as const] : [])),
  )
  const [own, ofJobs] = await Promise.all([
    podsBy(place, `${policyLabel}=${metadata.name},${rolloutLabel}=${id}`),
    byJob.size === 0 ? [] : podsBy(place, `${jobNameLabel} in (${[...byJob.keys()].join(',')})`),
  ])
  const hookOf = ({ labels = {} }: Pod['metadata']) => labels[hookLabel] ?? byJob.get(labels[jobNameLabel] ?? '') ?? ''
  return [...own, ...ofJobs].map((pod) => ({ ...podState(pod), hook: hookOf(pod.metadata) }))
}

const jobNameLabel = 'batch.kubernetes.io/job-name'

/** None where the user may not read them. */
async function podsBy({ client, namespace }: Place, labelSelector: string): Promise<readonly Pod[]> {
  try {
    const { items } = await client.of(resources.pods).list({ namespace, labelSelector })
    return items.toSorted(
      (a, b) => bornAt(a).localeCompare(bornAt(b)) || a.metadata.name.localeCompare(b.metadata.name),
    )
  } catch (error) {
    if (isForbidden(error)) return []
    throw error
  }
}

function bornAt({ metadata }: Pod): string {
  return metadata.creationTimestamp ?? ''
}

export function replicasOf(workload: Workload): number {
  const { spec, status } = workload as { spec: { replicas?: number }; status?: { desiredNumberScheduled?: number } }
  return spec.replicas ?? status?.desiredNumberScheduled ?? 1
}
