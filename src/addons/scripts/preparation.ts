/** Finds hooks and loads their configuration. This needs no cluster, so it can begin while the cluster is still being connected. */
import type { Runtime } from '../../runtime/index.ts'
import { invalidHooks, type LoadedHooks, loadHooks } from './config/load.ts'
import { discoverHooks } from './discovery/discover.ts'
import { EngineMetrics } from './engine/metrics.ts'
import { hookEnvironment } from './environment.ts'
import type { Hook, HookFile } from './hook.ts'
import type { ScriptsOptions } from './options.ts'
import { type FolderState, stateOf } from './reload/folder-changes.ts'
import { type ReloadedEngine, Reloader } from './reload/reloader.ts'
import { HookRunner } from './run/runner.ts'

export class Preparation {
  /** The environment of hooks. */
  readonly env: Readonly<Record<string, string>>
  readonly metricsPrefix: string
  readonly metrics: EngineMetrics
  readonly runner: HookRunner
  /** Resolves when loading has begun or failed. */
  readonly loading: Promise<void>
  readonly #options: ScriptsOptions
  readonly #runtime: Runtime
  readonly #stopping = new AbortController()
  readonly #own: Promise<LoadedHooks>
  readonly #state: Promise<FolderState> | undefined

  /** Begins loading at once. */
  constructor(options: ScriptsOptions, runtime: Runtime) {
    this.#options = options
    this.#runtime = runtime
    this.env = hookEnvironment(runtime.env, options.frameworkDir)
    this.metricsPrefix =
      options.metricsPrefix ?? (options.place.layout === 'document' ? 'addon_operator_' : 'shell_operator_')
    this.metrics = new EngineMetrics(runtime.metrics, this.metricsPrefix)
    this.runner = new HookRunner(runtime, { ...options, env: this.env, jq: options.jq ?? {} })
    const { place } = options
    if (options.watch === true && place.layout === 'folder') this.#state = stateOf(runtime.files, place.hooksDir)
    // An edit while hooks are loaded must not be missed, so the state is read first.
    const found = Promise.resolve(this.#state).then(() =>
      Promise.all([discoverHooks(runtime.files, runtime.log, place), runtime.processes.warmUp()]),
    )
    this.#own = found.then(([files]) => this.#load(files))
    // `hooks` reports the error.
    this.#own.catch(() => undefined)
    this.loading = found.then(
      () => undefined,
      () => undefined,
    )
  }

  /** The loaded hooks; the files in `more` are loaded now. */
  async hooks(more: readonly HookFile[]): Promise<readonly Hook[]> {
    const [own, others] = [await this.#own, await this.#load(more)]
    const hooks = [...own.hooks, ...others.hooks]
    const invalid = [...own.invalid, ...others.invalid]
    const found = hooks.length + invalid.length
    if (found === 0) this.#runtime.log.warn('no hooks found', { ...this.#options.place })
    if (invalid.length === 0) return hooks
    if (this.#options.skipInvalidHooks !== true) throw invalidHooks(invalid, found)
    for (const { file, problems } of invalid) {
      for (const error of problems) this.#runtime.log.error('skipping an invalid hook', { hook: file.name, error })
      this.metrics.leftOut(file.name)
    }
    return hooks
  }

  /** Follows the folder of hooks from now on; undefined if that is not wanted. */
  async reloader(engine: ReloadedEngine, hooks: readonly Hook[]): Promise<Reloader | undefined> {
    const { place } = this.#options
    const state = await this.#state
    if (state === undefined || place.layout !== 'folder') return undefined
    const load = (files: readonly HookFile[]) => this.#load(files, (file) => this.runner.reloadedFunctionConfig(file))
    return new Reloader({ place, runtime: this.#runtime, state, load }, engine, hooks)
  }

  /** To be called when no hook runs any more: stops loading and ends worker threads. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the operator stops'))
    await this.#own.catch(() => undefined)
    await this.runner.close()
  }

  #load(
    files: readonly HookFile[],
    functionConfig: HookRunner['functionConfig'] = (file) => this.runner.functionConfig(file),
  ): Promise<LoadedHooks> {
    const { env } = this
    return loadHooks(this.#runtime, files, {
      env,
      jq: this.#options.jq ?? {},
      functionConfig,
      signal: this.#stopping.signal,
    })
  }
}
