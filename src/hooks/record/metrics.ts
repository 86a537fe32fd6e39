/** What every surface counts of its runs, under the same names. No label names an object: the number of series must not grow with the cluster. */
import type { Metrics } from '../../runtime/index.ts'
import type { RunOutcome } from './entry.ts'

export interface EndedRun {
  readonly surface: string
  /** What the hook does: `job`, `pod`, `http`, `approval`, `process`, `function`. */
  readonly action: string
  readonly outcome: RunOutcome
  readonly seconds: number | undefined
}

/** From a call that answers at once to a migration that takes the night. */
export const secondsBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400, 43_200]

export function hookMetrics(metrics: Metrics): (run: EndedRun) => void {
  const runs = metrics.counter({
    name: 'carabiner_hook_runs_total',
    help: 'Runs of hooks that have ended, by how.',
    labels: ['surface', 'action', 'outcome'],
  })
  const durations = metrics.histogram({
    name: 'carabiner_hook_run_duration_seconds',
    help: 'How long runs of hooks took.',
    labels: ['surface', 'action'],
    buckets: secondsBuckets,
  })
  return ({ surface, action, outcome, seconds }) => {
    runs.add(1, { surface, action, outcome })
    if (seconds !== undefined) durations.observe(seconds, { surface, action })
  }
}
