/** What is counted about modules, under the names that dashboards of addon-operator know. */
import type { Labels, Metrics } from '../../../runtime/metrics.ts'

const buckets = [0, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]

export class ModuleMetrics {
  readonly #metrics: Metrics
  readonly #prefix: string

  constructor(metrics: Metrics, prefix: string) {
    this.#metrics = metrics
    this.#prefix = prefix
  }

  ran(module: string, milliseconds: number): void {
    this.#observe('module_run_seconds', 'Duration of a run of a module.', milliseconds, { module })
  }

  released(module: string, milliseconds: number): void {
    this.#observe('module_helm_seconds', 'Duration of the release of a module.', milliseconds, { module })
  }

  runFailed(module: string): void {
    this.#count('module_run_errors', 'Runs of a module that failed.', { module })
  }

  deleteFailed(module: string): void {
    this.#count('module_delete_errors', 'Removals of a module or a release that failed.', { module })
  }

  discoverFailed(): void {
    this.#count('modules_discover_errors', 'Decisions about which modules are on that failed.')
  }

  /** A section of the ConfigMap cannot be used. */
  configRefused(): void {
    this.#count('config_values_errors_total', 'Sections of the ConfigMap that cannot be used.')
  }

  converged(milliseconds: number): void {
    this.#count('convergence_total', 'How often all modules have been run.')
    this.#count('convergence_seconds', 'Seconds it took to run all modules.', {}, milliseconds / 1000)
  }

  enabled(module: string, isOn: boolean): void {
    const help = 'Whether a module is on.'
    const spec = { name: `${this.#prefix}mm_module_enabled`, help, labels: ['module'] }
    this.#metrics.gauge(spec).set(isOn ? 1 : 0, { module })
  }

  #count(name: string, help: string, values: Labels = {}, by = 1): void {
    this.#metrics.counter({ name: `${this.#prefix}${name}`, help, labels: Object.keys(values) }).add(by, values)
  }

  #observe(name: string, help: string, milliseconds: number, values: Labels): void {
    const spec = { name: `${this.#prefix}${name}`, help, labels: Object.keys(values), buckets }
    this.#metrics.histogram(spec).observe(milliseconds / 1000, values)
  }
}
