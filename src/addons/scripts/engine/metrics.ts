/**
 * What the engine counts, under the names that dashboards of shell-operator and addon-operator know.
 */
import { ApiError } from '../../../kube/errors.ts'
import type { Labels, Metrics } from '../../../runtime/metrics.ts'
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
    this.#count('live_ticks', 'Grows by one every ten seconds while the operator lives.', [])
  }

  /** A hook that could not be loaded. */
  leftOut(hook: string): void {
    const help = 'Hooks that were left out because they cannot be loaded.'
    this.#metrics.gauge({ name: `${this.#prefix}hook_left_out`, help, labels: ['hook'] }).set(1, { hook })
  }

  queueLength(queue: string, length: number): void {
    const help = 'Tasks that wait in a queue or are being worked on.'
    this.#metrics.gauge({ name: `${this.#prefix}tasks_queue_length`, help, labels: ['queue'] }).set(length, { queue })
  }

  waited(labels: RunLabels, milliseconds: number): void {
    const help = 'Seconds that tasks spent in their queue before they were worked on.'
    this.#count('task_wait_in_queue_seconds_total', help, perRun, { ...labels }, milliseconds / 1000)
  }

  ran(labels: RunLabels, { duration }: RunResult): void {
    this.#observe('hook_run_seconds', 'Duration of a run.', duration / 1000, labels)
  }

  succeeded(labels: RunLabels): void {
    this.#count('hook_run_success_total', 'Runs that succeeded.', perRun, { ...labels })
  }

  failed({ name: hook, scope }: Hook, labels: RunLabels, isAllowed: boolean): void {
    const kind = isAllowed ? 'allowed_errors' : 'errors'
    const help = isAllowed ? 'Failed runs that were let go.' : 'Failed runs.'
    this.#count(`hook_run_${kind}_total`, help, perRun, { ...labels })
    this.#count(`hook_${kind}`, help, ['hook'], { hook })
    this.#count(`${scope}_hook_${kind}`, help, ['hook'], { hook })
  }

  enabled(hook: string, milliseconds: number): void {
    const labels = ['hook']
    const help = 'Seconds it took to begin the watches of a hook.'
    const name = `${this.#prefix}hook_enable_kubernetes_bindings_seconds`
    this.#metrics.gauge({ name, help, labels }).set(milliseconds / 1000, { hook })
    const done = 'Whether the watches of a hook have begun.'
    const success = `${this.#prefix}hook_enable_kubernetes_bindings_success`
    this.#metrics.gauge({ name: success, help: done, labels }).set(1, { hook })
  }

  /** A list that a watch begins with was refused. */
  watchFailed(error: unknown): void {
    const type = error instanceof ApiError ? (error.status.reason ?? 'Unknown') : 'Connection'
    this.#count('kubernetes_client_watch_errors_total', 'Lists that were refused.', ['error_type'], {
      error_type: type,
    })
  }

  /** A watch of the hook could not begin when it should have. */
  notEnabled(hook: string): void {
    this.#count('hook_enable_kubernetes_bindings_errors_total', 'Watches that could not begin at once.', ['hook'], {
      hook,
    })
  }

  snapshot(labels: RunLabels, objects: number): void {
    const name = `${this.#prefix}kube_snapshot_objects`
    this.#metrics.gauge({ name, help: 'Objects a binding sees.', labels: perRun }).set(objects, { ...labels })
  }

  filtered(labels: RunLabels, milliseconds: number): void {
    this.#observe(
      'kube_jq_filter_duration_seconds',
      'Duration of a filter for one object.',
      milliseconds / 1000,
      labels,
    )
  }

  handled(labels: RunLabels, milliseconds: number): void {
    this.#observe('kube_event_duration_seconds', 'Duration of handling one event.', milliseconds / 1000, labels)
  }

  #count(name: string, help: string, labels: readonly string[], values: Labels = {}, by = 1): void {
    this.#metrics.counter({ name: `${this.#prefix}${name}`, help, labels }).add(by, values)
  }

  #observe(name: string, help: string, value: number, labels: RunLabels): void {
    const spec = { name: `${this.#prefix}${name}`, help, labels: perRun, buckets }
    this.#metrics.histogram(spec).observe(value, { ...labels })
  }
}
