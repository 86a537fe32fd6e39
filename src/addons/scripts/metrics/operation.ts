/** A metric operation of a hook: one parsed line of `METRICS_PATH`. */
export type MetricOperation =
  | (SeriesOperation & { readonly action: 'add' | 'set'; readonly group?: string })
  | (SeriesOperation & { readonly action: 'observe'; readonly buckets?: readonly number[] })
  | { readonly action: 'expire'; readonly group: string }

interface SeriesOperation {
  readonly name: string
  readonly value: number
  readonly labels: Readonly<Record<string, string>>
}
