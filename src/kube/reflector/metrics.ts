/** The metrics of a reflector, by resource. */
import type { Metrics } from '../../runtime/index.ts'

export interface ReflectorMetrics {
  list(): void
  watch(): void
  failure(kind: string): void
  events(count: number): void
}

export function reflectorMetrics(metrics: Metrics, resource: string): ReflectorMetrics {
  const labels = ['resource']
  const lists = metrics.counter({ name: 'carabiner_reflector_lists_total', help: 'Lists started.', labels })
  const watches = metrics.counter({ name: 'carabiner_reflector_watches_total', help: 'Watches opened.', labels })
  const events = metrics.counter({ name: 'carabiner_reflector_events_total', help: 'Watch events received.', labels })
  const failures = metrics.counter({
    name: 'carabiner_reflector_failures_total',
    help: 'Failed lists and watches, by kind of failure.',
    labels: ['resource', 'kind'],
  })
  return {
    list: () => lists.add(1, { resource }),
    watch: () => watches.add(1, { resource }),
    failure: (kind) => failures.add(1, { resource, kind }),
    events: (count) => events.add(count, { resource }),
  }
}
