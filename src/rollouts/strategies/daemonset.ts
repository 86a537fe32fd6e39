/**
 * DaemonSets. OnDelete is the gate; the engine itself deletes old pods, as many at a time as may be missing, and the native controller
 * puts new ones in their place. New nodes and failed pods get the new version meanwhile, which counts as progress.
 */
import { openLabels } from '../gate/pending-edits.ts'
import { holdLabel } from '../labels.ts'
import type { DaemonSet } from '../policy/workload.ts'
import { availability, type Progress, type Step, type Strategy, shareOf } from './strategy.ts'

export const daemonSetStrategy: Strategy = {
  size: (workload) => (workload as DaemonSet).status?.desiredNumberScheduled ?? 0,

  save: () => ({ type: 'RollingUpdate' }),

  wanted: (_, saved) => saved,

  progress(view): Progress {
    const { spec, status = {}, metadata } = view.workload as DaemonSet
    const fresh = view.pods.filter(({ revision }) => revision === view.target.name)
    const { available, wakeAt } = availability(fresh, spec.minReadySeconds ?? 0, view.now)
    const wanted = status.desiredNumberScheduled ?? 0
    const seen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
    const complete = seen && available === wanted && (status.updatedNumberScheduled ?? 0) === wanted
    return { available, complete, ...(wakeAt === undefined ? {} : { wakeAt }) }
  },

  advance(view, pods): Step {
    const { spec, status = {} } = view.workload as DaemonSet
    const wanted = status.desiredNumberScheduled ?? 0
    const share = spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1
    const budget = Math.max(1, shareOf(share, wanted, 'up'))
    const old = view.pods.filter(({ revision, isEnding }) => revision !== view.target.name && !isEnding)
    const fresh = view.pods.filter(({ revision }) => revision === view.target.name)
    const up = availability(view.pods, spec.minReadySeconds ?? 0, view.now).available
    const room = budget - (wanted - up)
    const onTheirWay =
      fresh.length + view.pods.filter(({ isEnding, revision }) => isEnding && revision !== view.target.name).length
    // Pods that are not ready are deleted first: that costs no availability.
    const broken = old.filter(({ readySince }) => readySince === undefined)
    const serving = old.filter(({ readySince }) => readySince !== undefined)
    const chosen = [...broken, ...serving.slice(0, Math.max(0, room))].slice(0, Math.max(0, pods - onTheirWay))
    return chosen.length === 0 ? { do: 'wait' } : { do: 'delete', pods: chosen }
  },

  open: () => ({ metadata: { labels: openLabels }, spec: { updateStrategy: { type: 'RollingUpdate' } } }),

  freeze(workload) {
    const { metadata, status = {} } = workload as DaemonSet
    const isDone = (status.updatedNumberScheduled ?? 0) >= (status.desiredNumberScheduled ?? 0)
    if (metadata.labels?.[holdLabel] !== undefined || isDone) return undefined
    return { metadata: { labels: { [holdLabel]: 'step' } }, spec: { updateStrategy: { type: 'OnDelete' } } }
  },
}
