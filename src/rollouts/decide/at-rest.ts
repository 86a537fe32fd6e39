/**
 * The gate where nothing may stand in the way of writes: workloads rest with their gate shut, so that a changed template finds it closed. The
 * engine opens it for a rollout and shuts it again when all pods are those of the template. Nobody is kept from opening it by hand.
 */
import { closedPartition, partitionWish, wishPrefix, wishText } from '../gate/wishes.ts'
import { holdLabel } from '../labels.ts'
import type { World } from '../observe/world.ts'
import type { DaemonSet, Deployment, StatefulSet, Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'
import { isStable } from './begin.ts'

/** What has to be done to a workload at rest: a patch that shuts its gate, or nothing. Undefined when it does not rest. */
export function restShut(world: World, hash: string): { readonly patch?: object } | undefined {
  const { workload, revisions } = world
  const target = revisions.find(({ templateHash }) => templateHash === hash)
  if (workload === undefined || target === undefined || target.isApart) return undefined
  const hold = workload.metadata.labels?.[holdLabel]
  // What its owner has paused or rolls by hand is left to him.
  if (hold === undefined && isHeldByOwner(workload)) return undefined
  if (strategyOf(workload).size(workload, {}) > 0 && !isStable(world, target)) return undefined
  return hold !== undefined && isShut(workload) ? {} : { patch: shut(workload) }
}

function isHeldByOwner(workload: Workload): boolean {
  if (workload.kind === 'Deployment') return (workload as Deployment).spec.paused === true
  return (workload as StatefulSet | DaemonSet).spec.updateStrategy?.type === 'OnDelete'
}

function isShut(workload: Workload): boolean {
  if (workload.kind !== 'StatefulSet') return isHeldByOwner(workload)
  return (workload as StatefulSet).spec.updateStrategy?.rollingUpdate?.partition === closedPartition
}

function shut(workload: Workload): object {
  const labels = { [holdLabel]: 'gate' }
  if (workload.kind === 'Deployment') return { metadata: { labels }, spec: { paused: true } }
  if (workload.kind === 'DaemonSet') return { metadata: { labels }, spec: { updateStrategy: { type: 'OnDelete' } } }
  const { partition = 0 } = (workload as StatefulSet).spec.updateStrategy?.rollingUpdate ?? {}
  const own = partition === 0 ? {} : { [wishPrefix + partitionWish.name]: wishText(partition) }
  return {
    metadata: { labels: { ...labels, ...own } },
    spec: { updateStrategy: { rollingUpdate: { partition: closedPartition } } },
  }
}
