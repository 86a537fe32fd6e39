/**
 * Metrics in memory, rendered in the Prometheus text format. The simulation's stand-in for prom-client, which needs Node.
 */
import type { Labels, MetricSpec, Metrics } from '../metrics.ts'

type Kind = 'counter' | 'gauge' | 'histogram'

/** One metric: values by their labels, in the order they first appeared. */
class Family {
  readonly #spec: MetricSpec
  readonly kind: Kind
  readonly #values = new Map<string, number>()

  constructor(spec: MetricSpec, kind: Kind) {
    this.#spec = spec
    this.kind = kind
    if (kind !== 'histogram' && (spec.labels ?? []).length === 0) this.set(0, '', {})
  }

  set(value: number, suffix: string, labels: Labels): void {
    this.#values.set(this.#key(suffix, labels), value)
  }

  add(value: number, suffix: string, labels: Labels): void {
    const key = this.#key(suffix, labels)
    this.#values.set(key, (this.#values.get(key) ?? 0) + value)
  }

  remove(labels: Labels): void {
    this.#values.delete(this.#key('', labels))
  }

  render(): string {
    const { name, help } = this.#spec
    const lines = Array.from(this.#values, ([key, value]) => `${key} ${value}`)
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${this.kind}`, ...lines].join('\n')
  }

  #key(suffix: string, labels: Labels): string {
    const shown = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
    return `${this.#spec.name}${suffix}${shown.length === 0 ? '' : `{${shown.join(',')}}`}`
  }
}

export function createMemoryMetrics(): Metrics {
  const families = new Map<string, Family>()
  const family = (spec: MetricSpec, kind: Kind): Family => {
    const known = families.get(spec.name) ?? new Family(spec, kind)
    if (known.kind !== kind) throw new TypeError(`metric ${spec.name} is registered already as a ${known.kind}`)
    families.set(spec.name, known)
    return known
  }
  return {
    counter: (spec) => {
      const counter = family(spec, 'counter')
      return { add: (value = 1, labels = {}) => counter.add(value, '', labels) }
    },
    gauge: (spec) => {
      const gauge = family(spec, 'gauge')
      return {
        set: (value, labels = {}) => gauge.set(value, '', labels),
        add: (value, labels = {}) => gauge.add(value, '', labels),
        remove: (labels) => gauge.remove(labels),
      }
    },
    histogram: (spec) => {
      const histogram = family(spec, 'histogram')
      return {
        observe: (value, labels = {}) => {
          for (const bucket of [...spec.buckets, Number.POSITIVE_INFINITY]) {
            const le = bucket === Number.POSITIVE_INFINITY ? '+Inf' : String(bucket)
            histogram.add(value <= bucket ? 1 : 0, '_bucket', { le, ...labels })
          }
          histogram.add(value, '_sum', labels)
          histogram.add(1, '_count', labels)
        },
      }
    },
    render: () => Promise.resolve([...families.values()].map((metric) => `${metric.render()}\n`).join('\n')),
  }
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')
}
