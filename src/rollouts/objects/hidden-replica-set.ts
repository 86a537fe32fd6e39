/**
 * ReplicaSets apart: those that the native controller does not see for the time being. They have none of the labels it selects by and do not
 * name it as their controller, so that it neither adopts nor releases them; they still name the Deployment as an owner, and go when it goes.
 */
import type { KubeObject, LabelSelector, OwnerReference } from '../../kube/index.ts'
import { hiddenLabel } from '../labels.ts'
import type { Deployment, PodTemplate } from '../policy/workload.ts'

type Kept = Pick<KubeObject['metadata'], 'labels' | 'ownerReferences'>

export function isHidden({ metadata }: KubeObject): boolean {
  return metadata.labels?.[hiddenLabel] !== undefined
}

/** Whether an object without labels is none of those selected: a selector that only says what must not be takes it for its own. */
export function canBeHidden({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  const isPositive = ({ operator }: { operator: string }) => operator === 'In' || operator === 'Exists'
  return Object.keys(matchLabels).length > 0 || matchExpressions.some(isPositive)
}

/** The metadata of a hidden ReplicaSet: without every label of its pods, because another Deployment could select by any of them. */
export function hiddenFrom(deployment: Deployment, set: KubeObject): Kept {
  const selected = new Set(Object.keys(podLabels(set)))
  const own = Object.entries(set.metadata.labels ?? {}).filter(([key]) => !selected.has(key))
  return {
    labels: { ...Object.fromEntries(own), [hiddenLabel]: 'true' },
    ownerReferences: ownersOf(deployment, set, ({ controller: _, ...owner }) => owner),
  }
}

/** The metadata that the native controller would have given it. */
export function shownAgain(deployment: Deployment, set: KubeObject): Kept {
  const { [hiddenLabel]: _, ...own } = set.metadata.labels ?? {}
  return {
    labels: { ...own, ...podLabels(set) },
    ownerReferences: ownersOf(deployment, set, (owner) => ({ ...owner, controller: true })),
  }
}

function podLabels(set: KubeObject): Readonly<Record<string, string>> {
  const { spec } = set as KubeObject & { readonly spec?: { readonly template: PodTemplate } }
  return spec?.template.metadata?.labels ?? {}
}

function ownersOf(
  { metadata: { uid } }: Deployment,
  { metadata: { ownerReferences = [] } }: KubeObject,
  changed: (owner: OwnerReference) => OwnerReference,
): OwnerReference[] {
  return ownerReferences.map((owner) => (owner.uid === uid ? changed(owner) : owner))
}
