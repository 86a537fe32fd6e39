/** Metrics in memory, rendered in the Prometheus text format: replaces prom-client, which needs Node.js. */
import type { Labels, MetricSpec, Metrics } from '../metrics.ts'

type Kind = 'counter' | 'gauge' | 'histogram'

/** One value with its labels; for a histogram the sum and the count of each bucket. */
interface Sample {
  readonly labels: Labels
  readonly buckets: number[]
  value: number
}

class Family {
  readonly kind: Kind
  readonly #spec: MetricSpec
  readonly #bounds: readonly number[]
  readonly #samples = new Map<string, Sample>()

  constructor(kind: Kind, spec: MetricSpec, bounds: readonly number[]) {
    this.kind = kind
    this.#spec = spec
    this.#bounds = bounds
    if (kind !== 'histogram' && (spec.labels ?? []).length === 0) this.sample({})
  }

  sample(labels: Labels): Sample {
    const key = keyOf(labels)
    let sample = this.#samples.get(key)
    if (sample === undefined) {
      sample = { labels, buckets: this.#bounds.map(() => 0), value: 0 }
      this.#samples.set(key, sample)
    }
    return sample
  }

  remove(labels: Labels): void {
    this.#samples.delete(keyOf(labels))
  }

  observe(value: number, labels: Labels): void {
    const sample = this.sample(labels)
    sample.value += value
    for (const [index, bound] of this.#bounds.entries()) {
      if (value <= bound) sample.buckets[index] = (sample.buckets[index] ?? 0) + 1
    }
  }

  render(): string {
    const { name, help } = this.#spec
    const lines = [...this.#samples.values()].flatMap((sample) =>
      this.kind === 'histogram' ? this.#histogram(sample) : [line(name, sample.labels, sample.value)],
    )
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${this.kind}`, ...lines].join('\n')
  }

  #histogram({ labels, buckets, value }: Sample): string[] {
    const { name } = this.#spec
    const counts = this.#bounds.map((bound, index) => {
      const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound)
      return line(`${name}_bucket`, { le, ...labels }, buckets[index] ?? 0)
    })
    return [...counts, line(`${name}_sum`, labels, value), line(`${name}_count`, labels, buckets.at(-1) ?? 0)]
  }
}

export function createMemoryMetrics(): Metrics {
  const families = new Map<string, Family>()
  const family = (kind: Kind, spec: MetricSpec, bounds: readonly number[] = []): Family => {
    const known = families.get(spec.name) ?? new Family(kind, spec, bounds)
    if (known.kind !== kind) throw new TypeError(`metric ${spec.name} is registered already as a ${known.kind}`)
    families.set(spec.name, known)
    return known
  }
  const change = (metric: Family, value: number, labels: Labels): void => {
    metric.sample(labels).value += value
  }
  return {
    counter: (spec) => {
      const counter = family('counter', spec)
      return { add: (value = 1, labels = {}) => change(counter, value, labels) }
    },
    gauge: (spec) => {
      const gauge = family('gauge', spec)
      return {
        set: (value, labels = {}) => {
          gauge.sample(labels).value = value
        },
        add: (value, labels = {}) => change(gauge, value, labels),
        remove: (labels) => gauge.remove(labels),
      }
    },
    histogram: (spec) => {
      const histogram = family('histogram', spec, [...spec.buckets, Number.POSITIVE_INFINITY])
      return { observe: (value, labels = {}) => histogram.observe(value, labels) }
    },
    render: () => Promise.resolve([...families.values()].map((metric) => `${metric.render()}\n`).join('\n')),
  }
}

function keyOf(labels: Labels): string {
  return JSON.stringify(labels)
}

function line(name: string, labels: Labels, value: number): string {
  const shown = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}`
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')
}
