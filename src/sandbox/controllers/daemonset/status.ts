/** The status of a DaemonSet: on each node the bound, then the oldest pod is counted. */

import type { DaemonSetStatus } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { isAvailable, isReady } from '../pods/state.ts'
import { withoutZeros } from '../replicaset/decide.ts'
import type { DaemonWorld } from './manage.ts'
import { byAgeAndBinding, fitOf, podsByNode } from './nodes.ts'
import { isUpdated } from './template.ts'

export function daemonSetStatus(
  world: DaemonWorld,
  collisionCount: number | undefined,
  observed: boolean,
  now: Instant,
): DaemonSetStatus {
  const { set, nodes, pods, hash } = world
  const byNode = podsByNode(pods)
  const sum = { desired: 0, current: 0, misscheduled: 0, ready: 0, updated: 0, available: 0 }
  for (const node of nodes) {
    const pod = [...(byNode.get(node.metadata.name) ?? [])].sort(byAgeAndBinding)[0]
    if (!fitOf(set, node).shouldRun) {
      if (pod !== undefined) sum.misscheduled++
      continue
    }
    sum.desired++
    if (pod === undefined) continue
    sum.current++
    if (isReady(pod)) sum.ready++
    if (isAvailable(pod, set.spec.minReadySeconds ?? 0, now)) sum.available++
    if (isUpdated(set, pod, hash)) sum.updated++
  }
  const observedGeneration = observed ? (set.metadata.generation ?? 0) : (set.status?.observedGeneration ?? 0)
  return {
    currentNumberScheduled: sum.current,
    numberMisscheduled: sum.misscheduled,
    desiredNumberScheduled: sum.desired,
    numberReady: sum.ready,
    ...withoutZeros({
      observedGeneration,
      updatedNumberScheduled: sum.updated,
      numberAvailable: sum.available,
      numberUnavailable: sum.desired - sum.available,
    }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(set.status?.conditions === undefined ? {} : { conditions: set.status.conditions }),
  }
}
