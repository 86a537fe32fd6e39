/**
 * StatefulSets. The partition is the gate: above every ordinal it is closed, and lowered to the last so many ordinals it lets exactly so
 * many pods be replaced. Ordinals count from `ordinals.start`.
 */
import { closedPartition } from '../gate/gate.ts'
import { holdLabel } from '../labels.ts'
import type { StatefulSet } from '../policy/workload.ts'
import { availability, type Progress, type Step, type Strategy } from './strategy.ts'

export const statefulSetStrategy: Strategy = {
  size: (workload) => (workload as StatefulSet).spec.replicas ?? 1,

  save(workload) {
    const partition = (workload as StatefulSet).spec.updateStrategy?.rollingUpdate?.partition ?? 0
    // The gate has overwritten what was there before; nearly everybody has no partition at all.
    return { partition: partition === closedPartition ? 0 : partition }
  },

  progress(view): Progress {
    const { spec, status = {}, metadata } = view.workload as StatefulSet
    const replicas = spec.replicas ?? 1
    const fresh = view.pods.filter(({ revision }) => revision === view.target.name)
    const { available, wakeAt } = availability(fresh, spec.minReadySeconds ?? 0, view.now)
    const seen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
    const wanted = Math.max(
      0,
      replicas - Math.max(0, (view.saved['partition'] as number) - (spec.ordinals?.start ?? 0)),
    )
    const complete = seen && available >= wanted && (status.readyReplicas ?? 0) === replicas
    return { available, complete, ...(wakeAt === undefined ? {} : { wakeAt }) }
  },

  advance(view, pods): Step {
    const { spec } = view.workload as StatefulSet
    const partition = (spec.ordinals?.start ?? 0) + (spec.replicas ?? 1) - pods
    if (spec.updateStrategy?.rollingUpdate?.partition === partition) return { do: 'wait' }
    return {
      do: 'patch',
      patch: {
        metadata: { labels: { [holdLabel]: 'step' } },
        spec: { updateStrategy: { rollingUpdate: { partition } } },
      },
    }
  },

  open: (saved) => ({
    metadata: { labels: { [holdLabel]: null } },
    spec: { updateStrategy: { rollingUpdate: { partition: saved['partition'] } } },
  }),

  // A partition stands still by itself.
  freeze: () => undefined,
}
