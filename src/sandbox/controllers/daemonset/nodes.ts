/** The eligible nodes of a DaemonSet and its pods per node. */
import type { DaemonSet, Node, Pod } from '../../../kube/kinds/index.ts'
import { matchesNodeAffinity } from '../../kinds/node-affinity.ts'
import { findUntoleratedTaint } from '../../kinds/taints.ts'
import { isFinished } from '../pods/state.ts'
import { daemonTolerations, targetNode } from './template.ts'

export interface Fit {
  readonly shouldRun: boolean
  /** An existing pod can continue to run. */
  readonly shouldContinueRunning: boolean
}

export function fitOf(set: DaemonSet, node: Node): Fit {
  const { spec } = set.spec.template
  if ((spec.nodeName && spec.nodeName !== node.metadata.name) || !matchesNodeAffinity(spec, node)) {
    return { shouldRun: false, shouldContinueRunning: false }
  }
  const tolerations = daemonTolerations(set.spec.template)
  const taints = node.spec?.taints
  return {
    shouldRun: findUntoleratedTaint(taints, tolerations, ['NoSchedule', 'NoExecute']) === undefined,
    shouldContinueRunning: findUntoleratedTaint(taints, tolerations, ['NoExecute']) === undefined,
  }
}

/** Bound pods first, then the oldest. */
export function byAgeAndBinding(one: Pod, other: Pod): number {
  const bound = Number(!one.spec.nodeName) - Number(!other.spec.nodeName)
  if (bound !== 0) return bound
  const times = [one.metadata.creationTimestamp ?? '', other.metadata.creationTimestamp ?? ''] as const
  if (times[0] !== times[1]) return times[0] < times[1] ? -1 : 1
  return one.metadata.name < other.metadata.name ? -1 : 1
}

/** Pods by node, without finished pods that are being deleted. */
export function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const result = new Map<string, Pod[]>()
  for (const pod of pods) {
    if (isFinished(pod) && pod.metadata.deletionTimestamp !== undefined) continue
    const node = targetNode(pod)
    const list = result.get(node)
    if (list === undefined) result.set(node, [pod])
    else list.push(pod)
  }
  return result
}
