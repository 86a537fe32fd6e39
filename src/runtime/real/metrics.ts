/** Metrics through prom-client, in a registry per runtime: the default registry is shared by the whole process. */
import { createRequire } from 'node:module'
import type * as Prometheus from 'prom-client'
import type { Labels, MetricSpec, Metrics } from '../metrics.ts'

/** Only the needed modules of prom-client: its index also loads the default process metrics and takes ten times as long. */
const load = createRequire(import.meta.url)
const Counter = load('prom-client/lib/counter.js') as typeof Prometheus.Counter
const Gauge = load('prom-client/lib/gauge.js') as typeof Prometheus.Gauge
const Histogram = load('prom-client/lib/histogram.js') as typeof Prometheus.Histogram
const Registry = load('prom-client/lib/registry.js') as typeof Prometheus.Registry

type Metric = Prometheus.Counter | Prometheus.Gauge | Prometheus.Histogram

export function createRealMetrics(): Metrics {
  const registry = new Registry()
  const metrics = new Map<string, Metric>()
  const once = <M extends Metric>(name: string, kind: new (...args: never[]) => M, create: () => M): M => {
    const known = metrics.get(name)
    if (known instanceof kind) return known
    if (known !== undefined) throw new TypeError(`metric ${name} is registered already as a ${known.constructor.name}`)
    const metric = create()
    metrics.set(name, metric)
    return metric
  }
  const common = (spec: MetricSpec) => ({
    name: spec.name,
    help: spec.help,
    labelNames: [...(spec.labels ?? [])],
    registers: [registry],
  })
  return {
    counter: (spec) => {
      const counter = once(spec.name, Counter, () => new Counter(common(spec)))
      return { add: (value = 1, labels: Labels = {}) => counter.inc({ ...labels }, value) }
    },
    gauge: (spec) => {
      const gauge = once(spec.name, Gauge, () => new Gauge(common(spec)))
      return {
        set: (value, labels: Labels = {}) => gauge.set({ ...labels }, value),
        add: (value, labels: Labels = {}) => gauge.inc({ ...labels }, value),
        remove: (labels) => gauge.remove({ ...labels }),
      }
    },
    histogram: (spec) => {
      const histogram = once(spec.name, Histogram, () => new Histogram({ ...common(spec), buckets: [...spec.buckets] }))
      return { observe: (value, labels: Labels = {}) => histogram.observe({ ...labels }, value) }
    },
    render: () => registry.metrics(),
  }
}
