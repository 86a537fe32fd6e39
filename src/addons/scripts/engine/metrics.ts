/** Metrics of the engine, under the names of shell-operator and addon-operator. */
import { ApiError } from '../../../kube/index.ts'
import type { Labels, Metrics } from '../../../runtime/index.ts'
import type { Hook } from '../hook.ts'
import type { RunResult } from '../run/types.ts'

export interface RunLabels {
  readonly hook: string
  readonly binding: string
  readonly queue: string
}

const buckets = [0, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]
const perRun = ['hook', 'binding', 'queue'] as const

export class EngineMetrics {
  readonly #metrics: Metrics
  readonly #prefix: string

  constructor(metrics: Metrics, prefix: string) {
    this.#metrics = metrics
    this.#prefix = prefix
  }

  tick(): void {
    this.#count({ name: 'live_ticks', help: 'Increases by one every ten seconds while the operator runs.', labels: [] })
  }

  /** A hook could not be loaded. */
  leftOut(hook: string): void {
    const help = 'Hooks that were skipped because they could not be loaded.'
    this.#metrics.gauge({ name: `${this.#prefix}hook_left_out`, help, labels: ['hook'] }).set(1, { hook })
  }

  queueLength(queue: string, length: number): void {
    const help = 'Tasks in a queue, waiting or running.'
    this.#metrics.gauge({ name: `${this.#prefix}tasks_queue_length`, help, labels: ['queue'] }).set(length, { queue })
  }

  waited(labels: RunLabels, milliseconds: number): void {
    const help = 'Seconds that tasks waited in their queue.'
    this.#count({ name: 'task_wait_in_queue_seconds_total', help, labels: perRun }, { ...labels }, milliseconds / 1000)
  }

  ran(labels: RunLabels, { duration }: RunResult): void {
    this.#observe('hook_run_seconds', 'Duration of runs.', duration / 1000, labels)
  }

  successLine(labels: RunLabels): void {
    this.#count({ name: 'hook_run_success_total', help: 'Successful runs.', labels: perRun }, { ...labels })
  }

  failureLine({ name: hook, scope }: Hook, labels: RunLabels, { isAllowed }: { readonly isAllowed: boolean }): void {
    const kind = isAllowed ? 'allowed_errors' : 'errors'
    const help = isAllowed ? 'Failed runs that are not retried.' : 'Failed runs.'
    this.#count({ name: `hook_run_${kind}_total`, help, labels: perRun }, { ...labels })
    this.#count({ name: `hook_${kind}`, help, labels: ['hook'] }, { hook })
    this.#count({ name: `${scope}_hook_${kind}`, help, labels: ['hook'] }, { hook })
  }

  enabled(hook: string, milliseconds: number): void {
    const labels = ['hook']
    const help = 'Seconds it took to enable the kubernetes bindings of a hook.'
    const name = `${this.#prefix}hook_enable_kubernetes_bindings_seconds`
    this.#metrics.gauge({ name, help, labels }).set(milliseconds / 1000, { hook })
    const done = 'Whether the kubernetes bindings of a hook are enabled.'
    const success = `${this.#prefix}hook_enable_kubernetes_bindings_success`
    this.#metrics.gauge({ name: success, help: done, labels }).set(1, { hook })
  }

  /** The initial list of a watch failed. */
  watchFailed(error: unknown): void {
    const type = error instanceof ApiError ? (error.status.reason ?? 'Unknown') : 'Connection'
    const help = 'Failed initial lists of watches.'
    this.#count({ name: 'kubernetes_client_watch_errors_total', help, labels: ['error_type'] }, { error_type: type })
  }

  /** The first list of a binding was not available when the binding was enabled. */
  notEnabled(hook: string): void {
    const help = 'Bindings that were enabled without a first list.'
    this.#count({ name: 'hook_enable_kubernetes_bindings_errors_total', help, labels: ['hook'] }, { hook })
  }

  snapshot(labels: RunLabels, objects: number): void {
    const name = `${this.#prefix}kube_snapshot_objects`
    this.#metrics
      .gauge({ name, help: 'Objects in the snapshot of a binding.', labels: perRun })
      .set(objects, { ...labels })
  }

  filtered(labels: RunLabels, milliseconds: number): void {
    this.#observe(
      'kube_jq_filter_duration_seconds',
      'Duration of a jqFilter for one object.',
      milliseconds / 1000,
      labels,
    )
  }

  handled(labels: RunLabels, milliseconds: number): void {
    this.#observe('kube_event_duration_seconds', 'Duration of handling one watch event.', milliseconds / 1000, labels)
  }

  #count(
    { name, help, labels }: { readonly name: string; readonly help: string; readonly labels: readonly string[] },
    values: Labels = {},
    by = 1,
  ): void {
    this.#metrics.counter({ name: `${this.#prefix}${name}`, help, labels }).add(by, values)
  }

  #observe(name: string, help: string, value: number, labels: RunLabels): void {
    const spec = { name: `${this.#prefix}${name}`, help, labels: perRun, buckets }
    this.#metrics.histogram(spec).observe(value, { ...labels })
  }
}
