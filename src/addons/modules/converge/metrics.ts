/** Metrics of modules, under the names of addon-operator. */
import type { Labels, Metrics } from '../../../runtime/index.ts'

const buckets = [0, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]

export class ModuleMetrics {
  readonly #metrics: Metrics
  readonly #prefix: string

  constructor(metrics: Metrics, prefix: string) {
    this.#metrics = metrics
    this.#prefix = prefix
  }

  ran(module: string, milliseconds: number): void {
    this.#observe('module_run_seconds', 'Duration of module runs.', milliseconds, { module })
  }

  released(module: string, milliseconds: number): void {
    this.#observe('module_helm_seconds', 'Duration of helm releases of modules.', milliseconds, { module })
  }

  runFailed(module: string): void {
    this.#count('module_run_errors', 'Failed module runs.', { module })
  }

  deleteFailed(module: string): void {
    this.#count('module_delete_errors', 'Failed removals of modules and releases.', { module })
  }

  discoverFailed(): void {
    this.#count('modules_discover_errors', 'Failed decisions about which modules are enabled.')
  }

  /** A section of the ConfigMap is invalid. */
  configRefused(): void {
    this.#count('config_values_errors_total', 'Invalid sections of the ConfigMap.')
  }

  converged(milliseconds: number): void {
    this.#count('convergence_total', 'Completed convergences of all modules.')
    this.#count('convergence_seconds', 'Seconds spent on completed convergences.', {}, milliseconds / 1000)
  }

  enabled(module: string, state: 'on' | 'off'): void {
    const help = 'Whether a module is enabled.'
    const spec = { name: `${this.#prefix}mm_module_enabled`, help, labels: ['module'] }
    this.#metrics.gauge(spec).set(state === 'on' ? 1 : 0, { module })
  }

  #count(name: string, help: string, values: Labels = {}, by = 1): void {
    this.#metrics.counter({ name: `${this.#prefix}${name}`, help, labels: Object.keys(values) }).add(by, values)
  }

  #observe(name: string, help: string, milliseconds: number, values: Labels): void {
    const spec = { name: `${this.#prefix}${name}`, help, labels: Object.keys(values), buckets }
    this.#metrics.histogram(spec).observe(milliseconds / 1000, values)
  }
}
