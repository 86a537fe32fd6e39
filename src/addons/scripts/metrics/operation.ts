/**
 * What a hook asks of its metrics, one line of `METRICS_PATH` each, after reading.
 */
export type MetricOperation =
  | (SeriesOperation & { readonly action: 'add' | 'set'; readonly group?: string })
  | (SeriesOperation & { readonly action: 'observe'; readonly buckets?: readonly number[] })
  | { readonly action: 'expire'; readonly group: string }

interface SeriesOperation {
  readonly name: string
  readonly value: number
  readonly labels: Readonly<Record<string, string>>
}
