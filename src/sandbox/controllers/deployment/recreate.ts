/**
 * Recreate: the old pods go, all of them, before the first new one comes.
 */
import type { Pod } from '../../kinds/pod.ts'
import type { ReplicaSet } from '../../kinds/workload.ts'
import { isFinished } from '../pods/state.ts'
import { sumOf } from './bounds.ts'
import type { Draft } from './draft.ts'
import { active } from './find.ts'

export function emptyOld(draft: Draft, old: readonly ReplicaSet[]): boolean {
  let scaled = false
  for (const replicaSet of active(old)) scaled = draft.scale(replicaSet, 0) || scaled
  return scaled
}

/** Pods being deleted still count: they run until they are gone. */
export function oldPodsRun(
  old: readonly ReplicaSet[],
  fresh: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  podsOf: (replicaSet: ReplicaSet) => readonly Pod[],
): boolean {
  if (sumOf(old, ({ status }) => status?.replicas ?? 0) > 0) return true
  return all.some(
    (replicaSet) =>
      replicaSet.metadata.uid !== fresh?.metadata.uid && podsOf(replicaSet).some((pod) => !isFinished(pod)),
  )
}
