/**
 * One step of a DaemonSet's rolling update: deletes old pods within maxUnavailable, or creates new pods within
 * maxSurge. Unavailable old pods are always replaced.
 */

import type { Pod } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { scaledAmount } from '../../kinds/amount.ts'
import { isAvailable } from '../pods/state.ts'
import { allowsSurge, type DaemonChange, type DaemonWorld, noChange } from './manage.ts'
import { fitOf, podsByNode } from './nodes.ts'
import { isUpdated } from './template.ts'

interface Pair {
  readonly node: string
  readonly newPod: Pod | undefined
  readonly old: Pod | undefined
  /** More than one pod of either kind; `manage` removes these first. */
  readonly excess: boolean
}

function pairsOf({ set, nodes, pods, hash }: DaemonWorld): {
  readonly pairs: readonly Pair[]
  readonly desired: number
} {
  const byNode = new Map(podsByNode(pods))
  let desired = 0
  for (const node of nodes) {
    if (!fitOf(set, node).shouldRun) continue
    desired++
    if (!byNode.has(node.metadata.name)) byNode.set(node.metadata.name, [])
  }
  const pairs = Array.from(byNode, ([node, all]) => {
    const alive = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const newPod = alive.filter((pod) => isUpdated(set, pod, hash))
    const old = alive.filter((pod) => !isUpdated(set, pod, hash))
    return { node, newPod: newPod[0], old: old[0], excess: newPod.length > 1 || old.length > 1 }
  })
  return { pairs: pairs.sort((one, other) => (one.node < other.node ? -1 : 1)), desired }
}

function rollByReplacing(pairs: readonly Pair[], limit: number, available: (pod: Pod) => boolean): DaemonChange {
  const remove: Pod[] = []
  const candidates: Pod[] = []
  let unavailable = 0
  for (const { newPod, old, excess } of pairs) {
    if (excess || (newPod === undefined) === (old === undefined)) unavailable++
    else if (newPod !== undefined) unavailable += available(newPod) ? 0 : 1
    else if (old !== undefined && !available(old)) {
      remove.push(old)
      unavailable++
    } else if (old !== undefined && unavailable < limit) candidates.push(old)
  }
  return { ...noChange, remove: [...remove, ...candidates.slice(0, Math.max(0, limit - unavailable))] }
}

function rollBySurging(
  world: DaemonWorld,
  pairs: readonly Pair[],
  { desired, limit }: { readonly desired: number; readonly limit: number },
  available: (pod: Pod) => boolean,
): DaemonChange {
  const nodes = new Map(world.nodes.map((node) => [node.metadata.name, node]))
  const remove: Pod[] = []
  const misplaced: Pod[] = []
  const create: string[] = []
  const candidates: string[] = []
  let surge = 0
  let availableNow = 0
  for (const { node: name, newPod, old, excess } of pairs) {
    if (excess) {
      surge++
      continue
    }
    const serving = old ?? newPod
    if (serving !== undefined && available(serving)) availableNow++
    if (old === undefined) continue
    if (newPod !== undefined) {
      if (available(newPod)) remove.push(old)
      else surge++
      continue
    }
    const node = nodes.get(name)
    const shouldRun = node !== undefined && fitOf(world.set, node).shouldRun
    if (!available(old)) {
      if (shouldRun) create.push(name)
      else remove.push(old)
    } else if (!shouldRun) misplaced.push(old)
    else if (surge < limit) candidates.push(name)
  }
  return {
    ...noChange,
    remove: [...remove, ...misplaced.slice(0, Math.max(0, availableNow - desired))],
    create: [...create, ...candidates.slice(0, Math.max(0, limit - surge))],
  }
}

export function roll(world: DaemonWorld, now: Instant): DaemonChange {
  const { type, rollingUpdate } = world.set.spec.updateStrategy ?? {}
  if (type === 'OnDelete') return noChange
  const { pairs, desired } = pairsOf(world)
  const available = (pod: Pod) => isAvailable(pod, world.set.spec.minReadySeconds ?? 0, now)
  if (allowsSurge(world.set)) {
    const limit = scaledAmount(rollingUpdate?.maxSurge, desired, 'up')
    return rollBySurging(world, pairs, { desired, limit }, available)
  }
  const limit = desired === 0 ? 0 : Math.max(1, scaledAmount(rollingUpdate?.maxUnavailable ?? 1, desired, 'up'))
  return rollByReplacing(pairs, limit, available)
}
