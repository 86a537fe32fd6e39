/** Metrics as handles; the registry behind them renders the Prometheus text format. */
export type Labels = Readonly<Record<string, string>>

export interface MetricSpec {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
}

export interface Counter {
  add(value?: number, labels?: Labels): void
}

export interface Gauge {
  set(value: number, labels?: Labels): void
  add(value: number, labels?: Labels): void
  remove(labels: Labels): void
}

export interface Histogram {
  observe(value: number, labels?: Labels): void
}

export interface Metrics {
  /** Registering a name again returns the same metric. */
  counter(spec: MetricSpec): Counter
  gauge(spec: MetricSpec): Gauge
  histogram(spec: MetricSpec & { readonly buckets: readonly number[] }): Histogram
  /** All registered metrics in the Prometheus text format. */
  render(): Promise<string>
}
