/** Per-kind rules for delete and update, keyed by `group/Kind`. */
import { definitionDeleted } from '../crd/deletion.ts'
import { at } from '../object.ts'
import type { Strategy } from '../resource.ts'
import { podGracePeriod } from './prepare/pods.ts'

type EndpointRules = Pick<
  Strategy,
  | 'gracePeriodSeconds'
  | 'garbageCollection'
  | 'onDeletionStart'
  | 'returnsDeleted'
  | 'isDeletionBlocked'
  | 'createOnUpdate'
  | 'unconditionalUpdate'
>

function kinds(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')))
}

const createdByUpdate = kinds(
  'coordination.k8s.io/Lease /Endpoints /Event events.k8s.io/Event /LimitRange /Service node.k8s.io/RuntimeClass',
  'rbac.authorization.k8s.io/ClusterRole rbac.authorization.k8s.io/ClusterRoleBinding',
  'rbac.authorization.k8s.io/Role rbac.authorization.k8s.io/RoleBinding',
)

const updatedByVersion = kinds(
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/CustomResourceDefinition coordination.k8s.io/Lease node.k8s.io/RuntimeClass',
  'policy/PodDisruptionBudget storage.k8s.io/CSIDriver storage.k8s.io/CSINode storage.k8s.io/VolumeAttachment',
)

const returnsDeleted = kinds(
  '/Namespace /PersistentVolume /PersistentVolumeClaim /Pod /PodTemplate /ResourceQuota /Service /ServiceAccount',
  'storage.k8s.io/CSIDriver storage.k8s.io/CSINode storage.k8s.io/StorageClass storage.k8s.io/VolumeAttachment',
)

const garbageCollection: Readonly<Record<string, 'Orphan' | 'Unsupported'>> = {
  'batch/Job': 'Orphan',
  '/ReplicationController': 'Orphan',
  '/Event': 'Unsupported',
  'events.k8s.io/Event': 'Unsupported',
}

export function endpointRules(group: string, kind: string): EndpointRules {
  const id = `${group}/${kind}`
  const collection = garbageCollection[id]
  return {
    createOnUpdate: createdByUpdate.has(id),
    unconditionalUpdate: !updatedByVersion.has(id),
    returnsDeleted: returnsDeleted.has(id),
    ...(collection === undefined ? {} : { garbageCollection: collection }),
    ...(id === '/Pod' ? { gracePeriodSeconds: podGracePeriod } : {}),
    ...(id === 'apiextensions.k8s.io/CustomResourceDefinition' ? { onDeletionStart: definitionDeleted } : {}),
    ...(id === '/Namespace' ? { isDeletionBlocked: hasSpecFinalizers } : {}),
  }
}

const hasSpecFinalizers: NonNullable<Strategy['isDeletionBlocked']> = (namespace) => {
  const finalizers = at(namespace, 'spec', 'finalizers')
  return Array.isArray(finalizers) && finalizers.length > 0
}
