/** Selects the node of a pod: the feasible node with the highest score, ties by name; or the message why there is none. */
import type { Node, Pod } from '../../kube/kinds/index.ts'
import { preferredAffinityScore } from '../kinds/node-affinity.ts'
import { quantity } from '../kinds/quantity.ts'
import { findUntoleratedTaint } from '../kinds/taints.ts'
import { type FilterFailure, filterNode, type NodeInfo } from './filters.ts'
import { scoringRequests } from './requests.ts'

export type Placement = { readonly node: string } | { readonly node: undefined; readonly message: string }

function freePercent(used: number, capacity: number): number {
  return capacity === 0 || used > capacity ? 0 : ((capacity - used) * 100) / capacity
}

function ownerOf(pod: Pod): string | undefined {
  return pod.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid
}

/** 0 to 100 for free resources; pods of the same owner, preferences and PreferNoSchedule taints weigh more. */
function score(pod: Pod, { node, usage }: NodeInfo): number {
  const wanted = scoringRequests(pod)
  const allocatable = node.status?.allocatable ?? {}
  const free =
    (freePercent(usage.scored.cpu + wanted.cpu, quantity(allocatable['cpu'])) +
      freePercent(usage.scored.memory + wanted.memory, quantity(allocatable['memory']))) /
    2
  const owner = ownerOf(pod)
  let siblings = 0
  if (owner !== undefined) for (const other of usage.pods.values()) if (ownerOf(other) === owner) siblings++
  const soft =
    findUntoleratedTaint(node.spec?.taints, pod.spec.tolerations, ['PreferNoSchedule']) === undefined ? 0 : 300
  return free + 2 * preferredAffinityScore(pod.spec, node) - 10 * siblings - soft
}

function histogram(reasons: Iterable<string>): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return Array.from(counts, ([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')
}

function failureMessage(failures: readonly FilterFailure[]): string {
  const none = `0/${failures.length} nodes are available:`
  const preemption = histogram(
    failures.map(({ isPreemptable }) =>
      isPreemptable ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
    ),
  )
  const why = histogram(failures.flatMap(({ reasons }) => reasons))
  return `${none} ${why}. no new claims to deallocate, preemption: ${none} ${preemption}.`
}

export function selectNode(pod: Pod, nodes: readonly Node[], usageOf: (node: string) => NodeInfo['usage']): Placement {
  if (nodes.length === 0) return { node: undefined, message: 'no nodes available to schedule pods' }
  const nodeInfos = nodes.map((node) => ({ node, usage: usageOf(node.metadata.name) }))
  const failures: FilterFailure[] = []
  let best: { readonly name: string; readonly score: number } | undefined
  for (const candidate of nodeInfos) {
    const infeasible = filterNode(pod, candidate, nodeInfos)
    if (infeasible !== undefined) {
      failures.push(infeasible)
      continue
    }
    const { name } = candidate.node.metadata
    const value = score(pod, candidate)
    if (best === undefined || value > best.score || (value === best.score && name < best.name))
      best = { name, score: value }
  }
  return best === undefined ? { node: undefined, message: failureMessage(failures) } : { node: best.name }
}
