/**
 * Owner references of a StatefulSet's PersistentVolumeClaims: none, unless the retention policy deletes them with the
 * set or the pod.
 */

import type { OwnerReference } from '../../../kube/index.ts'
import { type PersistentVolumeClaim, type Pod, resources, type StatefulSet } from '../../../kube/kinds/index.ts'
import { controllerRef } from '../claims/controller-refs.ts'

/** The wanted owner references of the claim; undefined when they are up to date. */
export function claimOwners(
  set: StatefulSet,
  pod: Pod | undefined,
  claim: PersistentVolumeClaim,
  scaledDown: boolean,
): readonly OwnerReference[] | undefined {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = set.spec.persistentVolumeClaimRetentionPolicy ?? {}
  const present = claim.metadata.ownerReferences ?? []
  const others = present.filter(({ uid }) => uid !== set.metadata.uid && uid !== pod?.metadata.uid)
  if (others.some(({ controller }) => controller === true)) return undefined
  const byPod = scaledDown && whenScaled === 'Delete' && pod?.metadata.uid !== undefined
  const wanted = [...others]
  if (byPod) wanted.push(controllerRef(pod, resources.pods))
  else if (whenDeleted === 'Delete') wanted.push(controllerRef(set, resources.statefulSets))
  const same = wanted.length === present.length && wanted.every(({ uid }) => present.some((other) => other.uid === uid))
  return same ? undefined : wanted
}
