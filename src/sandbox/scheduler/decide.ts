/**
 * Where a pod goes: the node that can take it and is loaded least, ties by name, or the message that says why there is none.
 */
import type { Node } from '../kinds/cluster.ts'
import { preference } from '../kinds/node-affinity.ts'
import type { Pod } from '../kinds/pod.ts'
import { quantity } from '../kinds/quantity.ts'
import { untolerated } from '../kinds/taints.ts'
import { type Place, type Refusal, refusal } from './filters.ts'
import { scoringRequests } from './requests.ts'

export type Placement = { readonly node: string } | { readonly node: undefined; readonly message: string }

function share(used: number, capacity: number): number {
  return capacity === 0 || used > capacity ? 0 : ((capacity - used) * 100) / capacity
}

function ownerOf(pod: Pod): string | undefined {
  return pod.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid
}

/** 0 to 100 for free room; siblings on the node, preferences and soft taints weigh more. */
function score(pod: Pod, { node, load }: Place): number {
  const wanted = scoringRequests(pod)
  const allocatable = node.status?.allocatable ?? {}
  const free =
    (share(load.scored.cpu + wanted.cpu, quantity(allocatable['cpu'])) +
      share(load.scored.memory + wanted.memory, quantity(allocatable['memory']))) /
    2
  const owner = ownerOf(pod)
  let siblings = 0
  if (owner !== undefined) for (const other of load.pods.values()) if (ownerOf(other) === owner) siblings++
  const soft = untolerated(node.spec?.taints, pod.spec.tolerations, ['PreferNoSchedule']) === undefined ? 0 : 300
  return free + 2 * preference(pod.spec, node) - 10 * siblings - soft
}

function histogram(reasons: Iterable<string>): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return Array.from(counts, ([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')
}

function failure(refusals: readonly Refusal[]): string {
  const none = `0/${refusals.length} nodes are available:`
  const preemption = histogram(
    refusals.map(({ resolvable }) =>
      resolvable ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
    ),
  )
  const why = histogram(refusals.flatMap(({ reasons }) => reasons))
  return `${none} ${why}. no new claims to deallocate, preemption: ${none} ${preemption}.`
}

export function place(pod: Pod, nodes: readonly Node[], loadOf: (node: string) => Place['load']): Placement {
  if (nodes.length === 0) return { node: undefined, message: 'no nodes available to schedule pods' }
  const places = nodes.map((node) => ({ node, load: loadOf(node.metadata.name) }))
  const refusals: Refusal[] = []
  let best: { readonly name: string; readonly score: number } | undefined
  for (const candidate of places) {
    const refused = refusal(pod, candidate, places)
    if (refused !== undefined) {
      refusals.push(refused)
      continue
    }
    const { name } = candidate.node.metadata
    const value = score(pod, candidate)
    if (best === undefined || value > best.score || (value === best.score && name < best.name))
      best = { name, score: value }
  }
  return best === undefined ? { node: undefined, message: failure(refusals) } : { node: best.name }
}
