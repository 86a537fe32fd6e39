/** The metrics of a work queue: the five known from client-go. */
import type { Metrics } from '../../runtime/index.ts'

export interface QueueMetrics {
  depth(keys: number): void
  added(): void
  waited(milliseconds: number): void
  worked(milliseconds: number): void
  retried(): void
}

const buckets = [0.0001, 0.001, 0.01, 0.1, 1, 10, 60]

export function queueMetrics(metrics: Metrics, name: string): QueueMetrics {
  const labels = ['name']
  const self = { name }
  const depth = metrics.gauge({ name: 'carabiner_workqueue_depth', help: 'Keys waiting.', labels })
  const adds = metrics.counter({ name: 'carabiner_workqueue_adds_total', help: 'Keys added.', labels })
  const retries = metrics.counter({
    name: 'carabiner_workqueue_retries_total',
    help: 'Keys added again after a failure.',
    labels,
  })
  const latency = metrics.histogram({
    name: 'carabiner_workqueue_queue_duration_seconds',
    help: 'How long keys waited.',
    labels,
    buckets,
  })
  const work = metrics.histogram({
    name: 'carabiner_workqueue_work_duration_seconds',
    help: 'How long work on a key took.',
    labels,
    buckets,
  })
  return {
    depth: (keys) => depth.set(keys, self),
    added: () => adds.add(1, self),
    waited: (milliseconds) => latency.observe(milliseconds / 1000, self),
    worked: (milliseconds) => work.observe(milliseconds / 1000, self),
    retried: () => retries.add(1, self),
  }
}
