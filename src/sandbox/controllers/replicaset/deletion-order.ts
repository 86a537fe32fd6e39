/** The deletion order of surplus pods, with the criteria of the real controller including logarithmic age. */

import type { Pod } from '../../../kube/kinds/index.ts'
import { type Instant, largest } from '../../../runtime/index.ts'
import { instantOf } from '../../kinds/time.ts'
import { isActive, isReady, readySince } from '../pods/state.ts'

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

function deletionCost(pod: Pod): number {
  const cost = Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0)
  return Number.isInteger(cost) ? cost : 0
}

function maxRestarts(pod: Pod): number {
  return Math.max(0, largest((pod.status?.containerStatuses ?? []).map((status) => status.restartCount)))
}

/** Compares ages rounded to powers of two of nanoseconds; the younger is deleted first. */
function logarithmicOrder(one: Instant, other: Instant, now: Instant): number {
  const rank = (time: Instant) => (now > time ? Math.trunc(Math.log2((now - time) * 1e6)) : -1)
  return rank(one) - rank(other)
}

function byAge(one: Pod, other: Pod, times: readonly [Instant, Instant], now: Instant): number {
  const order = logarithmicOrder(times[0], times[1], now)
  if (order !== 0) return order
  return (one.metadata.uid ?? '') < (other.metadata.uid ?? '') ? -1 : 1
}

/** Negative when `one` is deleted before `other`. `podsPerNode` counts related active pods per node. */
export function deletionOrder(one: Pod, other: Pod, podsPerNode: ReadonlyMap<string, number>, now: Instant): number {
  const nodes = [one.spec.nodeName ?? '', other.spec.nodeName ?? ''] as const
  if (nodes[0] !== nodes[1] && (nodes[0] === '' || nodes[1] === '')) return nodes[0] === '' ? -1 : 1
  const phases = (phaseOrder[one.status?.phase ?? ''] ?? 0) - (phaseOrder[other.status?.phase ?? ''] ?? 0)
  if (phases !== 0) return phases
  const ready = Number(isReady(one)) - Number(isReady(other))
  if (ready !== 0) return ready
  const cost = deletionCost(one) - deletionCost(other)
  if (cost !== 0) return cost
  const density = (podsPerNode.get(nodes[1]) ?? 0) - (podsPerNode.get(nodes[0]) ?? 0)
  if (density !== 0) return density
  const since = [readySince(one), readySince(other)] as const
  if (since[0] !== undefined && since[1] !== undefined && since[0] !== since[1]) {
    return byAge(one, other, [since[0], since[1]], now)
  }
  const restarts = maxRestarts(other) - maxRestarts(one)
  if (restarts !== 0) return restarts
  const created = [
    instantOf(one.metadata.creationTimestamp) ?? 0,
    instantOf(other.metadata.creationTimestamp) ?? 0,
  ] as const
  return created[0] === created[1] ? 0 : byAge(one, other, created, now)
}

/** The `count` pods to delete; `related` are the pods of all ReplicaSets with the same owner. */
export function podsToDelete(
  pods: readonly Pod[],
  related: readonly Pod[],
  count: number,
  now: Instant,
): readonly Pod[] {
  if (count >= pods.length) return pods
  const podsPerNode = new Map<string, number>()
  for (const pod of related) {
    if (!isActive(pod)) continue
    const node = pod.spec.nodeName ?? ''
    podsPerNode.set(node, (podsPerNode.get(node) ?? 0) + 1)
  }
  return [...pods].sort((one, other) => deletionOrder(one, other, podsPerNode, now)).slice(0, count)
}
