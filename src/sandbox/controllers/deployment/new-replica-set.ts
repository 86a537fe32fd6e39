/** Finds, updates or creates the ReplicaSet of the current template. */
import { type Deployment, type ReplicaSet, resources } from '../../../kube/kinds/index.ts'
import { controllerRef, isControlledBy } from '../claims/controller-refs.ts'
import { podTemplateHashLabel, sameTemplate, templateHash } from '../pods/template.ts'
import {
  annotationsDiffer,
  maxRevision,
  newReplicaSetAnnotations,
  revisionAnnotation,
  withSizes,
} from './annotations.ts'
import { maxSurge, newReplicaSetSize, replicasOf } from './bounds.ts'
import { type Draft, hasDeadline } from './draft.ts'
import { findNew } from './replica-sets.ts'

export interface NewAndOldReplicaSets {
  readonly newReplicaSet: ReplicaSet | undefined
  readonly old: readonly ReplicaSet[]
}

/** Thrown during a decision when the name of the new ReplicaSet is taken by another object; collisionCount is then increased. */
export class HashCollision extends Error {}

const maxNameLength = 253

function withoutNewReplicaSet(draft: Draft, newReplicaSet: ReplicaSet | undefined): readonly ReplicaSet[] {
  return draft.replicaSets.filter(({ metadata }) => metadata.name !== newReplicaSet?.metadata.name)
}

/** Finds the new ReplicaSet and updates its annotations and revision; never creates one. */
export function syncRevision(draft: Draft): NewAndOldReplicaSets {
  const found = findNew(draft.deployment, draft.replicaSets)
  const old = withoutNewReplicaSet(draft, found)
  if (found === undefined) return { newReplicaSet: undefined, old }
  const annotations = newReplicaSetAnnotations(draft.deployment, found.metadata.annotations, maxRevision(old) + 1)
  const minReadySeconds = draft.deployment.spec.minReadySeconds ?? 0
  if (
    annotationsDiffer(found.metadata.annotations, annotations) ||
    (found.spec.minReadySeconds ?? 0) !== minReadySeconds
  ) {
    const spec = { ...found.spec, minReadySeconds }
    draft.replace({ ...found, metadata: { ...found.metadata, annotations }, spec })
  }
  const newReplicaSet = draft.latest(found)
  draft.setRevision(annotations[revisionAnnotation] ?? '')
  if (hasDeadline(draft.deployment) && draft.condition('Progressing') === undefined) {
    draft.setProgressing('True', 'FoundNewReplicaSet', `Found new replica set "${found.metadata.name}"`)
  }
  return { newReplicaSet, old }
}

function makeReplicaSet(deployment: Deployment, old: readonly ReplicaSet[]): ReplicaSet {
  const { metadata, spec, status } = deployment
  const hash = templateHash(spec.template, status?.collisionCount)
  const labels = { ...spec.template.metadata?.labels, [podTemplateHashLabel]: hash }
  const desired = replicasOf(deployment)
  const annotations = newReplicaSetAnnotations(deployment, undefined, maxRevision(old) + 1)
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name.slice(0, maxNameLength - hash.length - 1)}-${hash}`,
      namespace: metadata.namespace ?? '',
      ownerReferences: [controllerRef(deployment, resources.deployments)],
      labels,
      annotations: withSizes(annotations, desired, desired + maxSurge(deployment)),
    },
    spec: {
      replicas: newReplicaSetSize(deployment, old, 0),
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [podTemplateHashLabel]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  }
}

/** Like `syncRevision`, but creates the ReplicaSet when it is missing. `taken` finds any ReplicaSet of that name. */
export function ensureNewReplicaSet(
  draft: Draft,
  taken: (name: string) => ReplicaSet | undefined,
): NewAndOldReplicaSets {
  const found = syncRevision(draft)
  if (found.newReplicaSet !== undefined) return found
  const made = makeReplicaSet(draft.deployment, found.old)
  const holder = taken(made.metadata.name)
  if (holder !== undefined) {
    const ours = isControlledBy(holder, draft.deployment)
    if (!ours || !sameTemplate(holder.spec.template, draft.deployment.spec.template)) throw new HashCollision()
    return { newReplicaSet: holder, old: found.old }
  }
  draft.add(made)
  const size = replicasOf(made)
  if (size > 0) draft.addEvent('ScalingReplicaSet', `Scaled up replica set ${made.metadata.name} from 0 to ${size}`)
  draft.setRevision(made.metadata.annotations?.[revisionAnnotation] ?? '')
  if (hasDeadline(draft.deployment)) {
    draft.setProgressing('True', 'NewReplicaSetCreated', `Created new replica set "${made.metadata.name}"`)
  }
  return { newReplicaSet: made, old: found.old }
}
