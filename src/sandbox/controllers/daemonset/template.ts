/** The pod of a DaemonSet for one node: bound by node affinity, with tolerations for node problems. */
import {
  type Affinity,
  type DaemonSet,
  type Pod,
  type PodTemplate,
  resources,
  type Toleration,
} from '../../../kube/kinds/index.ts'
import { controllerRef } from '../claims/controller-refs.ts'
import { revisionHashLabel } from '../history/revisions.ts'
import { podFromTemplate } from '../pods/template.ts'

const generationAnnotation = 'deprecated.daemonset.template.generation'
const generationLabel = 'pod-template-generation'

const nodeProblemTolerations: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
]

const networkUnavailableToleration: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
}

export function daemonTolerations({ spec }: PodTemplate): readonly Toleration[] {
  const own = spec.tolerations ?? []
  const wanted =
    spec.hostNetwork === true ? [...nodeProblemTolerations, networkUnavailableToleration] : nodeProblemTolerations
  const missing = wanted.filter(
    ({ key, effect, operator }) =>
      !own.some((other) => other.key === key && other.effect === effect && other.operator === operator),
  )
  return [...own, ...missing]
}

function pinned(affinity: Affinity | undefined, node: string): Affinity {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  }
}

/** The target node of a pod, bound or not. */
export function targetNode({ spec }: Pod): string {
  if (spec.nodeName) return spec.nodeName
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const { matchFields = [] } of terms) {
    for (const { key, values } of matchFields) if (key === 'metadata.name') return values?.[0] ?? ''
  }
  return ''
}

export function daemonPod(set: DaemonSet, hash: string, node: string): Pod {
  const { template } = set.spec
  const generation = set.metadata.annotations?.[generationAnnotation]
  const pod = podFromTemplate(template, set, controllerRef(set, resources.daemonSets))
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        ...(generation === undefined ? {} : { [generationLabel]: generation }),
        [revisionHashLabel]: hash,
      },
    },
    spec: {
      ...pod.spec,
      affinity: pinned(pod.spec.affinity, node),
      tolerations: daemonTolerations(template),
    },
  }
}

export function isUpdated(set: DaemonSet, pod: Pod, hash: string): boolean {
  const { labels } = pod.metadata
  const generation = set.metadata.annotations?.[generationAnnotation]
  return labels?.[revisionHashLabel] === hash || (generation !== undefined && labels?.[generationLabel] === generation)
}
