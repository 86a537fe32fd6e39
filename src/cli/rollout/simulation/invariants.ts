/**
 * What must hold at every moment of a rollout, whatever happens: never more pods than replicas and surge, never fewer available than
 * the budget, no new pod past a point whose hooks run, no hook carried out twice.
 */
import {
  type DaemonSet,
  type Deployment,
  parsePoint,
  podsAt,
  rollingBudget,
  type StatefulSet,
  shareOf,
  type Workload,
} from '../../../rollouts/index.ts'
import { largest, smallest } from '../../../runtime/index.ts'
import type { Bar, Sample } from '../timeline/timeline.ts'

export interface Bounds {
  /** Pods there may be at most. */
  readonly most: number
  /** Pods that must be available. */
  readonly fewest: number
}

/** By the workload as its owner wrote it, for a number of replicas. */
export function boundsOf(workload: Workload, replicas: number): Bounds {
  const { most, fewest } = budgetOf(workload, replicas)
  return { most, fewest: Math.max(0, fewest) }
}

function budgetOf(workload: Workload, replicas: number): Bounds {
  switch (workload.kind) {
    case 'StatefulSet': {
      const { maxUnavailable = 1 } = (workload as StatefulSet).spec.updateStrategy?.rollingUpdate ?? {}
      return { most: replicas, fewest: replicas - Math.max(1, shareOf(maxUnavailable, replicas, 'up')) }
    }
    case 'DaemonSet': {
      const { maxUnavailable = 1, maxSurge = 0 } = (workload as DaemonSet).spec.updateStrategy?.rollingUpdate ?? {}
      const most = replicas + shareOf(maxSurge, replicas, 'up')
      return { most, fewest: replicas - Math.max(1, shareOf(maxUnavailable, replicas, 'up')) }
    }
    default: {
      const { type, rollingUpdate = {} } = (workload as Deployment).spec.strategy ?? {}
      if (type === 'Recreate') return { most: replicas, fewest: 0 }
      const { surge, missing } = rollingBudget(rollingUpdate, replicas)
      return { most: replicas + surge, fewest: replicas - missing }
    }
  }
}

/** Sentences about moments at which something did not hold; `sizes` are all numbers of replicas there were. */
export function violationsIn(
  workload: Workload,
  samples: readonly Sample[],
  bars: readonly Bar[],
  sizes: readonly number[],
): readonly string[] {
  const all = sizes.map((size) => boundsOf(workload, size))
  // While it is scaled the bounds of both sizes are on their way.
  const most = largest(all.map((bounds) => bounds.most))
  const fewest = smallest(all.map((bounds) => bounds.fewest))
  const mostReplicas = largest(sizes)
  const found = new Set<string>()
  const sampleAt = (moment: number) => samples.findLast(({ at }) => at <= moment)
  for (const { at, old, fresh, oldReady, freshReady, gate, replicas } of samples) {
    const when = `after ${(at / 1000).toFixed(1)} s`
    if (old + fresh > most) found.add(`${old + fresh} pods ${when}, more than ${most}`)
    if (oldReady + freshReady < fewest)
      found.add(`${oldReady + freshReady} pods were ready ${when}, fewer than ${fewest}`)
    if (gate === 'open') continue
    for (const { hook, point, from, to = Infinity } of bars) {
      const bound = boundOf(point, mostReplicas)
      const isRunning = from <= at && at < to
      if (bound === undefined || !isRunning) continue
      // Native controllers share what they add among old and new pods; nothing can hold that, be it while the hook runs or just before.
      const start = sampleAt(from)
      if (start?.replicas !== replicas || (sizes.length > 1 && fresh <= start.fresh)) continue
      if (fresh > bound) found.add(`${fresh} new pods ${when} while hook ${hook} at ${point} ran, more than ${bound}`)
    }
  }
  return [...found]
}

/** Names that were given twice. */
export function repeatedIn(created: readonly string[]): readonly string[] {
  const twice = new Set(created.filter((name, index) => created.indexOf(name) !== index))
  return [...twice].map((name) => `${name} was created twice`)
}

function boundOf(written: string, replicas: number): number | undefined {
  const point = parsePoint(written)
  return point === undefined ? undefined : podsAt(point, replicas)
}
