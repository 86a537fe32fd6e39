/**
 * Finds hooks and asks them for their configuration, which takes no cluster: whoever starts an operator may have it begin while the cluster is
 * still being connected. What becomes of the hooks is not known here.
 */
import type { Runtime } from '../../runtime/runtime.ts'
import { invalidHooks, type LoadedHooks, loadHooks } from './config/load.ts'
import { discoverHooks } from './discovery/discover.ts'
import { EngineMetrics } from './engine/metrics.ts'
import { hookEnvironment } from './environment.ts'
import type { Hook, HookFile } from './hook.ts'
import type { ScriptsOptions } from './options.ts'
import { HookRunner } from './run/runner.ts'

export class Preparation {
  /** What hooks inherit. */
  readonly env: Readonly<Record<string, string>>
  readonly metricsPrefix: string
  readonly metrics: EngineMetrics
  readonly runner: HookRunner
  /** Resolves when hooks are being asked, or cannot be. */
  readonly asking: Promise<void>
  readonly #options: ScriptsOptions
  readonly #runtime: Runtime
  readonly #over = new AbortController()
  readonly #own: Promise<LoadedHooks>

  /** Begins at once. */
  constructor(options: ScriptsOptions, runtime: Runtime) {
    this.#options = options
    this.#runtime = runtime
    this.env = hookEnvironment(runtime.env, options.frameworkDir)
    this.metricsPrefix =
      options.metricsPrefix ?? (options.place.layout === 'document' ? 'addon_operator_' : 'shell_operator_')
    this.metrics = new EngineMetrics(runtime.metrics, this.metricsPrefix)
    this.runner = new HookRunner(runtime, { ...options, env: this.env, jq: options.jq ?? {} })
    const found = Promise.all([discoverHooks(runtime.files, runtime.log, options.place), runtime.processes.warmUp()])
    this.#own = found.then(([files]) => this.#ask(files))
    // It is told of to whoever asks for the hooks.
    this.#own.catch(() => undefined)
    this.asking = found.then(
      () => undefined,
      () => undefined,
    )
  }

  /** The hooks, each of which has been asked once; those of `more` are asked now. */
  async hooks(more: readonly HookFile[]): Promise<readonly Hook[]> {
    const [own, others] = [await this.#own, await this.#ask(more)]
    const hooks = [...own.hooks, ...others.hooks]
    const invalid = [...own.invalid, ...others.invalid]
    const found = hooks.length + invalid.length
    if (found === 0) this.#runtime.log.warn('no hooks found', { ...this.#options.place })
    if (invalid.length === 0) return hooks
    if (this.#options.skipInvalidHooks !== true) throw invalidHooks(invalid, found)
    for (const { file, problems } of invalid) {
      for (const error of problems) this.#runtime.log.error('hook is left out', { hook: file.name, error })
      this.metrics.leftOut(file.name)
    }
    return hooks
  }

  /** To be called when no hook runs any more: ends those that are still being asked, and the threads of hooks that are functions. */
  async close(): Promise<void> {
    this.#over.abort(new Error('the operator stops'))
    await this.#own.catch(() => undefined)
    await this.runner.close()
  }

  #ask(files: readonly HookFile[]): Promise<LoadedHooks> {
    const functionConfig: HookRunner['functionConfig'] = (file) => this.runner.functionConfig(file)
    const { env } = this
    return loadHooks(this.#runtime, files, {
      env,
      jq: this.#options.jq ?? {},
      functionConfig,
      signal: this.#over.signal,
    })
  }
}
