/** The metrics of the surface, by kind of workload and outcome; no label names an object. */
import { secondsBuckets } from '../../hooks/index.ts'
import type { Metrics } from '../../runtime/index.ts'
import type { Change } from './changes.ts'

export type Count = (change: Change, kind: string) => void

export function rolloutMetrics(metrics: Metrics): Count {
  const labels = ['kind', 'type']
  const started = metrics.counter({
    name: 'carabiner_rollouts_started_total',
    help: 'Rollouts with hooks that have begun.',
    labels,
  })
  const ended = metrics.counter({
    name: 'carabiner_rollouts_ended_total',
    help: 'Rollouts with hooks that have ended, by how.',
    labels: [...labels, 'outcome'],
  })
  const durations = metrics.histogram({
    name: 'carabiner_rollout_duration_seconds',
    help: 'How long rollouts with hooks took.',
    labels: ['kind', 'outcome'],
    buckets: secondsBuckets,
  })
  const waits = metrics.histogram({
    name: 'carabiner_rollout_gate_wait_seconds',
    help: 'How long rollouts stood still at a point until its hooks had ended.',
    labels: ['kind'],
    buckets: secondsBuckets,
  })
  return (change, kind) => {
    const { type } = change.ledger
    switch (change.kind) {
      case 'started':
        return started.add(1, { kind, type })
      case 'ended': {
        const outcome = change.phase.toLowerCase()
        ended.add(1, { kind, type, outcome })
        if (change.seconds !== undefined) durations.observe(change.seconds, { kind, outcome })
        return
      }
      // The recorder counts runs, the same for every surface.
      case 'hook':
        return
      case 'passed':
        return waits.observe(change.seconds, { kind })
    }
  }
}
