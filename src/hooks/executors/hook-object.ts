/** What a Job or pod says about the run that it carries out: all that is kept of one. Who made it, and why, is not known here. */
import type { KubeObject } from '../../kube/object.ts'
import { type LogSource, logSourceOf } from '../logs/index.ts'
import type { ObjectReference, Observation } from '../outcome/index.ts'

/** What is kept of a Job or pod in the cache. */
export interface HookObject {
  readonly kind: 'Job' | 'Pod'
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
  readonly observation: Observation
  /** Of a pod. */
  readonly logSource?: LogSource
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

/** Keeps of a Job or pod what it says about its run. */
export function projectHookObject(object: KubeObject): HookObject {
  const { name, namespace = '', uid = '', labels = {} } = object.metadata
  const kind = object.kind === 'Job' ? 'Job' : 'Pod'
  const reference = { kind, name, uid }
  const known = { kind, namespace, name, uid, labels } as const
  if (kind === 'Job') return { ...known, observation: observeJob(object, reference) }
  return { ...known, observation: observePod(object, reference), logSource: logSourceOf(object) }
}

function observeJob(
  job: KubeObject & { status?: { conditions?: readonly Condition[] } },
  object: ObjectReference,
): Observation {
  const conditions = job.status?.conditions ?? []
  const holding = (type: string) =>
    conditions.find((condition) => condition.type === type && condition.status === 'True')
  const complete = holding('Complete')
  if (complete !== undefined) return { state: 'succeeded', at: timeOf(complete.lastTransitionTime, job), object }
  const broken = holding('Failed')
  if (broken === undefined) return { state: 'running', since: timeOf(undefined, job), object }
  return {
    state: 'failed',
    at: timeOf(broken.lastTransitionTime, job),
    reason: broken.reason ?? 'Failed',
    message: broken.message ?? 'the Job failed',
    object,
  }
}

interface PodStatus {
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
  readonly containerStatuses?: readonly {
    readonly name: string
    readonly state?: {
      readonly terminated?: { readonly exitCode: number; readonly reason?: string; readonly finishedAt?: string }
    }
  }[]
}

function observePod(pod: KubeObject & { status?: PodStatus }, object: ObjectReference): Observation {
  const { phase, reason, message, containerStatuses = [] } = pod.status ?? {}
  const ended = containerStatuses.map(({ state }) => state?.terminated).find((terminated) => terminated !== undefined)
  const at = timeOf(ended?.finishedAt, pod)
  if (phase === 'Succeeded') return { state: 'succeeded', at, object }
  if (phase !== 'Failed') return { state: 'running', since: timeOf(undefined, pod), object }
  const said = message ?? (ended === undefined ? 'the pod failed' : `exit code ${ended.exitCode}`)
  return { state: 'failed', at, reason: reason ?? ended?.reason ?? 'Failed', message: said, object }
}

function timeOf(text: string | undefined, { metadata }: KubeObject): number {
  return Date.parse(text ?? metadata.creationTimestamp ?? '') || 0
}
