/** Why pods of a Deployment do not become ready, in the words of Kubernetes. */
import type { KubeObject } from '../../kube/index.ts'
import type { Condition } from '../../kube/kinds/index.ts'

interface ContainerStatus {
  readonly restartCount?: number
  readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } }
  readonly lastState?: { readonly terminated?: { readonly reason?: string; readonly exitCode?: number } }
}

export interface PodObject extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
}

/** Reasons that pass without help are not worth a word. */
const usual = new Set(['ContainerCreating', 'PodInitializing'])

/** One text for each reason, with the pod that has it. */
export function troubleOf(deployment: KubeObject, pods: readonly PodObject[]): readonly string[] {
  const conditions = (deployment as PodObject).status?.conditions ?? []
  const refused = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')
  const found = new Map<string, string>()
  for (const pod of pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined))
    for (const reason of reasonsOf(pod)) if (!found.has(reason)) found.set(reason, pod.metadata.name)
  return [
    ...(refused === undefined ? [] : [refused.message ?? 'pods are refused']),
    ...[...found].map(([reason, pod]) => `pod ${pod}: ${reason}`),
  ]
}

function reasonsOf({ status }: PodObject): readonly string[] {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False') return [`${scheduled.reason ?? 'Unschedulable'}: ${scheduled.message ?? ''}`]
  return (status?.containerStatuses ?? []).flatMap(({ state, lastState, restartCount = 0 }) => {
    const { reason, message } = state?.waiting ?? {}
    const ended = lastState?.terminated
    const end =
      restartCount === 0 || ended === undefined ? '' : `, ended ${restartCount} times, exit code ${ended.exitCode}`
    if (reason !== undefined && !usual.has(reason)) return [`${[reason, message].filter(Boolean).join(': ')}${end}`]
    return end === '' ? [] : [end.slice(2)]
  })
}
