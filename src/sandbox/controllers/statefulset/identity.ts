/** The identity of a StatefulSet pod: name, labels, claims and revision. */
import {
  type PersistentVolumeClaim,
  type Pod,
  type PodTemplate,
  resources,
  type StatefulSet,
  type Volume,
} from '../../../kube/kinds/index.ts'
import { controllerRef } from '../claims/controller-refs.ts'
import { revisionHashLabel } from '../history/revisions.ts'
import { podFromTemplate } from '../pods/template.ts'

export const podNameLabel = 'statefulset.kubernetes.io/pod-name'
const podIndexLabel = 'apps.kubernetes.io/pod-index'

/** -1 when the name has no ordinal. */
export function ordinalOf(pod: Pod): number {
  const text = /^.*-([0-9]+)$/.exec(pod.metadata.name)?.[1]
  return text === undefined ? -1 : Number(text)
}

export function isMember(set: StatefulSet, pod: Pod): boolean {
  return /^(.*)-[0-9]+$/.exec(pod.metadata.name)?.[1] === set.metadata.name
}

export function startOrdinal(set: StatefulSet): number {
  return set.spec.ordinals?.start ?? 0
}

export function replicasOf(set: StatefulSet): number {
  return set.spec.replicas ?? 1
}

export function isInRange(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(pod)
  return ordinal >= startOrdinal(set) && ordinal < startOrdinal(set) + replicasOf(set)
}

export function revisionOf(pod: Pod): string {
  return pod.metadata.labels?.[revisionHashLabel] ?? ''
}

export function claimName(set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata.name}-${set.metadata.name}-${ordinal}`
}

/** The PersistentVolumeClaims of the pod with this ordinal. */
export function claimsFor(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...template.metadata,
      name: claimName(set, template, ordinal),
      namespace: set.metadata.namespace ?? '',
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  }))
}

function volumesFor(set: StatefulSet, template: PodTemplate, ordinal: number): readonly Volume[] {
  const claims = (set.spec.volumeClaimTemplates ?? []).map((claim) => ({
    name: claim.metadata.name,
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }))
  const others = (template.spec.volumes ?? []).filter(({ name }) => !claims.some((claim) => claim.name === name))
  return [...claims, ...others]
}

export function identityLabels(name: string, ordinal: number): Record<string, string> {
  return { [podNameLabel]: name, [podIndexLabel]: String(ordinal) }
}

export function makePod(set: StatefulSet, template: PodTemplate, revision: string, ordinal: number): Pod {
  const name = `${set.metadata.name}-${ordinal}`
  const pod = podFromTemplate(template, set, controllerRef(set, resources.statefulSets))
  const { generateName, ...metadata } = pod.metadata
  const volumes = volumesFor(set, template, ordinal)
  return {
    ...pod,
    metadata: {
      ...metadata,
      name,
      ...(generateName === undefined ? {} : { generateName }),
      labels: { ...pod.metadata.labels, ...identityLabels(name, ordinal), [revisionHashLabel]: revision },
    },
    spec: {
      ...pod.spec,
      hostname: name,
      ...(set.spec.serviceName === undefined ? {} : { subdomain: set.spec.serviceName }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  }
}

export function identityMatches(set: StatefulSet, pod: Pod): boolean {
  return isMember(set, pod) && pod.metadata.labels?.[podNameLabel] === pod.metadata.name
}
