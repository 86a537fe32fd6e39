/**
 * All series of one metric name, and their rendering for Prometheus. Series may have different labels; a missing label is rendered empty,
 * which Prometheus treats the same.
 */
import type { Labels } from '../../../runtime/index.ts'

export type FamilyType = 'counter' | 'gauge' | 'histogram'

interface Series {
  readonly labels: Labels
  readonly group: string | undefined
  /** The sum for a histogram. */
  value: number
  /** The number of values up to each bound; the last bound is infinity. */
  readonly counts: number[]
}

/** The default buckets of the Prometheus client libraries. */
const defaultBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export class MetricFamily {
  readonly name: string
  readonly type: FamilyType
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Series>()

  constructor(name: string, type: FamilyType, bounds: readonly number[] = defaultBounds) {
    this.name = name
    this.type = type
    this.#bounds = [...bounds, Number.POSITIVE_INFINITY]
  }

  get isEmpty(): boolean {
    return this.#series.size === 0
  }

  /** Whether series remain when these groups expire. */
  outlives(groups: ReadonlySet<string>): boolean {
    return [...this.#series.values()].some(({ group }) => group === undefined || !groups.has(group))
  }

  add(value: number, labels: Labels, group: string | undefined): void {
    this.#find(labels, group).value += value
  }

  set(value: number, labels: Labels, group: string | undefined): void {
    this.#find(labels, group).value = value
  }

  observe(value: number, labels: Labels): void {
    const series = this.#find(labels, undefined)
    series.value += value
    this.#bounds.forEach((bound, index) => {
      if (value <= bound) series.counts[index] = (series.counts[index] ?? 0) + 1
    })
  }

  expire(group: string): void {
    for (const [key, series] of this.#series) if (series.group === group) this.#series.delete(key)
  }

  render(): string {
    const all = [...this.#series.values()]
    const names = [...new Set(all.flatMap(({ labels }) => Object.keys(labels)))].sort()
    const lines = all.flatMap((series) => {
      const labels = names.map((name) => [name, series.labels[name] ?? ''] as const)
      return this.type === 'histogram' ? this.#histogram(series, labels) : [line(this.name, labels, series.value)]
    })
    return [`# HELP ${this.name} ${this.name}`, `# TYPE ${this.name} ${this.type}`, ...lines, ''].join('\n')
  }

  #find(labels: Labels, group: string | undefined): Series {
    const key = JSON.stringify([group, Object.entries(labels).sort()])
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { labels, group, value: 0, counts: this.#bounds.map(() => 0) }
      this.#series.set(key, series)
    }
    return series
  }

  #histogram({ value, counts }: Series, labels: readonly (readonly [string, string])[]): string[] {
    const buckets = this.#bounds.map((bound, index) =>
      line(`${this.name}_bucket`, [...labels, ['le', number(bound)]], counts[index] ?? 0),
    )
    return [...buckets, line(`${this.name}_sum`, labels, value), line(`${this.name}_count`, labels, counts.at(-1) ?? 0)]
  }
}

function line(name: string, labels: readonly (readonly [string, string])[], value: number): string {
  const shown = labels.map(([label, text]) => `${label}="${escaped(text)}"`).join(',')
  return `${name}${shown === '' ? '' : `{${shown}}`} ${number(value)}`
}

function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')
}
