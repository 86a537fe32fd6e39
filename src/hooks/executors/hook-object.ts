/** The projection of a Job or pod that carries out a run. Which surface created it, and why, is not known here. */

import type { KubeObject } from '../../kube/index.ts'
import type { Condition, PodStatus } from '../../kube/kinds/index.ts'
import { type LogSource, logSourceOf } from '../logs/index.ts'
import type { ObjectReference, Observation } from '../outcome/index.ts'
import { disruptionOf, podFailureOf } from './pod-failure.ts'

/** What is kept of a Job or pod in the cache. */
export interface HookObject {
  readonly kind: 'Job' | 'Pod'
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
  readonly observation: Observation
  /** Of a pod that Kubernetes takes away: why. */
  readonly disruption?: string
  /** Of a pod: where its logs are. */
  readonly logSource?: LogSource
}

export function projectHookObject(object: KubeObject): HookObject {
  const { name, namespace = '', uid = '', labels = {} } = object.metadata
  const kind = object.kind === 'Job' ? 'Job' : 'Pod'
  const reference = { kind, name, uid }
  const known = { kind, namespace, name, uid, labels } as const
  if (kind === 'Job') return { ...known, observation: observeJob(object, reference) }
  const pod: KubeObject & { readonly status?: PodStatus } = object
  const disruption = disruptionOf(pod.status)?.message
  return {
    ...known,
    ...(disruption === undefined ? {} : { disruption }),
    observation: observePod(pod, reference),
    logSource: logSourceOf(object),
  }
}

function observeJob(
  job: KubeObject & { status?: { conditions?: readonly Condition[] } },
  object: ObjectReference,
): Observation {
  const conditions = job.status?.conditions ?? []
  const isTrue = (type: string) =>
    conditions.find((condition) => condition.type === type && condition.status === 'True')
  const complete = isTrue('Complete')
  if (complete !== undefined) return { state: 'succeeded', at: timeOf(complete.lastTransitionTime, job), object }
  const failed = isTrue('Failed')
  if (failed === undefined) return { state: 'running', since: timeOf(undefined, job), object }
  return {
    state: 'failed',
    at: timeOf(failed.lastTransitionTime, job),
    reason: 'Failed',
    ...(failed.reason === undefined ? {} : { kubernetesReason: failed.reason }),
    message: failed.message ?? 'the Job failed',
    object,
  }
}

function observePod(pod: KubeObject & { status?: PodStatus }, object: ObjectReference): Observation {
  const { status } = pod
  const { phase, containerStatuses = [], initContainerStatuses = [] } = status ?? {}
  const ends = [...containerStatuses, ...initContainerStatuses].map(({ state }) => state?.terminated?.finishedAt)
  const at = timeOf(
    ends.find((end) => end !== undefined),
    pod,
  )
  if (phase === 'Succeeded') return { state: 'succeeded', at, object }
  if (phase !== 'Failed') return { state: 'running', since: timeOf(undefined, pod), object }
  const disruption = disruptionOf(status)
  const { reason, message } = disruption ?? podFailureOf(status)
  return {
    state: 'failed',
    at,
    reason: disruption === undefined ? 'Failed' : 'Disrupted',
    ...(reason === undefined ? {} : { kubernetesReason: reason }),
    message,
    object,
  }
}

function timeOf(text: string | undefined, { metadata }: KubeObject): number {
  return Date.parse(text ?? metadata.creationTimestamp ?? '') || 0
}
