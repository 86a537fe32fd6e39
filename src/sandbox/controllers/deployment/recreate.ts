/** Strategy Recreate: all old pods are deleted before the first new pod is created. */
import type { Pod, ReplicaSet } from '../../../kube/kinds/index.ts'
import { isFinished } from '../pods/state.ts'
import { sumOf } from './bounds.ts'
import type { Draft } from './draft.ts'
import { active } from './replica-sets.ts'

export function scaleOldToZero(draft: Draft, old: readonly ReplicaSet[]): boolean {
  let scaled = false
  for (const replicaSet of active(old)) scaled = draft.scale(replicaSet, 0) || scaled
  return scaled
}

/** Terminating pods still count, because they run until they are deleted. */
export function oldPodsAreRunning(
  old: readonly ReplicaSet[],
  newReplicaSet: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  podsOf: (replicaSet: ReplicaSet) => readonly Pod[],
): boolean {
  if (sumOf(old, ({ status }) => status?.replicas ?? 0) > 0) return true
  return all.some(
    (replicaSet) =>
      replicaSet.metadata.uid !== newReplicaSet?.metadata.uid && podsOf(replicaSet).some((pod) => !isFinished(pod)),
  )
}
