/** The pods of a Job: tracking finalizer, completion index, end time and failure. */
import { type Container, type Job, type Pod, resources } from '../../../kube/kinds/index.ts'
import { type Instant, largest } from '../../../runtime/index.ts'
import { instantOf } from '../../kinds/time.ts'
import { controllerRef } from '../claims/controller-refs.ts'
import { podCondition } from '../pods/state.ts'
import { podFromTemplate } from '../pods/template.ts'

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking'
export const indexKey = 'batch.kubernetes.io/job-completion-index'

export function isTracked(pod: Pod): boolean {
  return pod.metadata.finalizers?.includes(trackingFinalizer) ?? false
}

export function isIndexed(job: Job): boolean {
  return job.spec.completionMode === 'Indexed'
}

/** The completion index of the pod if it is valid for the Job. */
export function indexOf(job: Job, pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[indexKey]
  if (text === undefined || !/^\d+$/.test(text)) return undefined
  const index = Number(text)
  return index < (job.spec.completions ?? 0) ? index : undefined
}

export function replacesFailedOnly(job: Job): boolean {
  return job.spec.podReplacementPolicy === 'Failed'
}

/** A terminating pod counts as failed, unless podReplacementPolicy is Failed. */
export function isFailed(job: Job, pod: Pod): boolean {
  if (pod.status?.phase === 'Failed') return true
  if (replacesFailedOnly(job)) return false
  return pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== 'Succeeded'
}

export function finishedAt(pod: Pod): Instant {
  const times = (pod.status?.containerStatuses ?? []).map(({ state }) => instantOf(state?.terminated?.finishedAt))
  if (times.length > 0 && times.every((time) => time !== undefined)) return largest(times)
  const ready = podCondition(pod, 'Ready')
  const unready = ready?.status === 'False' ? instantOf(ready.lastTransitionTime) : undefined
  if (unready !== undefined) return unready
  const deleted = instantOf(pod.metadata.deletionTimestamp)
  if (deleted !== undefined) return deleted - (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000
  return instantOf(pod.metadata.creationTimestamp) ?? 0
}

function withIndexVariable(container: Container): Container {
  const env = container.env ?? []
  if (env.some(({ name }) => name === 'JOB_COMPLETION_INDEX')) return container
  const variable = {
    name: 'JOB_COMPLETION_INDEX',
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } },
  }
  return { ...container, env: [...env, variable] }
}

export function jobPod(job: Job, index: number | undefined): Pod {
  const pod = podFromTemplate(job.spec.template, job, controllerRef(job, resources.jobs))
  const finalizers = [...new Set([...(pod.metadata.finalizers ?? []), trackingFinalizer])]
  if (index === undefined) return { ...pod, metadata: { ...pod.metadata, finalizers } }
  const text = String(index)
  const { initContainers } = pod.spec
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      finalizers,
      generateName: `${job.metadata.name}-${text}-`,
      labels: { ...pod.metadata.labels, [indexKey]: text },
      annotations: { ...pod.metadata.annotations, [indexKey]: text },
    },
    spec: {
      ...pod.spec,
      hostname: `${job.metadata.name}-${text}`,
      containers: pod.spec.containers.map(withIndexVariable),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndexVariable) }),
    },
  }
}
