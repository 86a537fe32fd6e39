/**
 * StatefulSets. The partition is the gate: above every ordinal it is closed, and lowered to the last so many ordinals it lets exactly so
 * many pods be replaced. A partition counts pods, not ordinals: `ordinals.start` does not matter to it.
 */
import { closedPartition, openLabels, pendingEditsOf } from '../gate/pending-edits.ts'
import { holdLabel } from '../labels.ts'
import type { StatefulSet } from '../policy/workload.ts'
import { availability, type Progress, type Step, type Strategy, type View } from './strategy.ts'

export const statefulSetStrategy: Strategy = {
  size: (workload) => (workload as StatefulSet).spec.replicas ?? 1,

  save(workload) {
    const partition = (workload as StatefulSet).spec.updateStrategy?.rollingUpdate?.partition ?? 0
    // The gate has put its own in place and left a label, unless there was none.
    return { partition: partition === closedPartition ? 0 : partition }
  },

  wanted: (workload, saved) => ({ ...saved, ...pendingEditsOf(workload) }),

  progress(view): Progress {
    const { spec, status = {}, metadata } = view.workload as StatefulSet
    const replicas = spec.replicas ?? 1
    const fresh = view.pods.filter(({ revision }) => revision === view.target.name)
    const { available, wakeAt } = availability(fresh, spec.minReadySeconds ?? 0, view.now)
    const seen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
    const wanted = reachOf(view.workload as StatefulSet, view.saved)
    const complete = seen && available >= wanted && (status.readyReplicas ?? 0) === replicas
    return { available, complete, ...(wakeAt === undefined ? {} : { wakeAt }) }
  },

  reach: (workload, saved) => reachOf(workload as StatefulSet, saved),

  advance(view, pods): Step {
    const { spec } = view.workload as StatefulSet
    const own = view.saved['partition'] as number
    const partition = Math.max(own, partitionFor(view, pods))
    if (spec.updateStrategy?.rollingUpdate?.partition === partition) return { do: 'wait' }
    return {
      do: 'patch',
      patch: {
        metadata: { labels: { [holdLabel]: 'step' } },
        spec: { updateStrategy: { rollingUpdate: { partition } } },
      },
    }
  },

  stuck({ workload, target, pods }) {
    const { spec } = workload as StatefulSet
    if (spec.podManagementPolicy === 'Parallel') return []
    const first = (spec.ordinals?.start ?? 0) + (spec.updateStrategy?.rollingUpdate?.partition ?? 0)
    // Old pods that would be replaced next, but that the native controller waits for because they never become ready.
    return pods.filter(
      ({ name, revision, readySince, isEnding }) =>
        revision !== target.name && readySince === undefined && !isEnding && ordinalOf(name) >= first,
    )
  },

  open: (saved) => ({
    metadata: { labels: openLabels },
    spec: { updateStrategy: { rollingUpdate: { partition: saved['partition'] } } },
  }),

  freeze(workload) {
    const { metadata, spec, status = {} } = workload as StatefulSet
    // A partition stands still by itself, and where every pod is new nothing moves.
    const isDone = (status.updatedReplicas ?? 0) >= (spec.replicas ?? 1)
    if (metadata.labels?.[holdLabel] !== undefined || isDone) return undefined
    return {
      metadata: { labels: { [holdLabel]: 'step' } },
      spec: { updateStrategy: { rollingUpdate: { partition: closedPartition } } },
    }
  },
}

/**
 * The lowest one by which no more than so many pods become new. Who goes back from halfway finds pods below it that were never replaced, and they
 * count.
 */
function partitionFor({ workload, target, pods }: View, wanted: number): number {
  const { spec } = workload as StatefulSet
  const replicas = spec.replicas ?? 1
  const start = spec.ordinals?.start ?? 0
  const there = pods.filter(({ revision }) => revision === target.name).map(({ name }) => ordinalOf(name) - start)
  const newBy = (partition: number) => replicas - partition + there.filter((place) => place < partition).length
  let partition = Math.max(0, replicas - wanted)
  while (partition < replicas && newBy(partition) > wanted) partition++
  return partition
}

function ordinalOf(pod: string): number {
  return Number(pod.slice(pod.lastIndexOf('-') + 1))
}

/** Pods above the owner's own partition. */
function reachOf({ spec }: StatefulSet, saved: View['saved']): number {
  return Math.max(0, (spec.replicas ?? 1) - (saved['partition'] as number))
}
