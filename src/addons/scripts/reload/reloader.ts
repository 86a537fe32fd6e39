/**
 * Reloads hooks whose files were edited while the operator runs: `--watch`. A hook whose new version is broken keeps its bindings, and a run
 * that has begun is not ended.
 */
import type { Logger, Runtime } from '../../../runtime/index.ts'
import type { InvalidHook, LoadedHooks } from '../config/load.ts'
import type { HookConfig } from '../config/types.ts'
import { discoverHooks, type HookLayout } from '../discovery/discover.ts'
import type { Hook, HookFile } from '../hook.ts'
import { FolderChanges, type FolderState } from './folder-changes.ts'
import { haveSameWebhooks, withKeptBindings } from './kept-bindings.ts'

/** The functions of the engine that reloading needs. */
export interface ReloadedEngine {
  addLate(hooks: readonly Hook[]): void
  remove(hooks: readonly Hook[]): void
  replace(hook: Hook): void
}

export interface ReloaderOptions {
  readonly place: Extract<HookLayout, { layout: 'folder' }>
  readonly runtime: Runtime
  /** The folder before the hooks were loaded. */
  readonly state: FolderState
  /** Runs hooks with --config; modules are read again. */
  readonly load: (files: readonly HookFile[]) => Promise<LoadedHooks>
}

export class Reloader {
  readonly #options: ReloaderOptions
  readonly #engine: ReloadedEngine
  /** The last good version of each hook. */
  readonly #hooks: Map<string, Hook>
  readonly #changes: FolderChanges

  constructor(options: ReloaderOptions, engine: ReloadedEngine, hooks: readonly Hook[]) {
    this.#options = options
    this.#engine = engine
    this.#hooks = new Map(hooks.map((hook) => [hook.name, hook]))
    const { place, runtime, state } = options
    this.#changes = new FolderChanges(runtime, { folder: place.hooksDir, state }, (paths) => this.#reload(paths))
  }

  async close(): Promise<void> {
    await this.#changes.close()
  }

  async #reload(paths: ReadonlySet<string>): Promise<void> {
    const { runtime, place, load } = this.#options
    const discovered = await discoverHooks(runtime.files, aboutChanged(runtime.log, paths), place)
    const found = [...discovered, ...(await this.#unrecognised(discovered))]
    const gone = [...this.#hooks.values()].filter(({ name }) => !found.some((file) => file.name === name))
    for (const hook of gone) this.#remove(hook)
    const isHook = (path: string) => found.some((file) => file.path === path) || gone.some((file) => file.path === path)
    // Which hooks read a shared file cannot be known: all are read again, and those without a difference stay as they are.
    const isShared = [...paths].some((path) => !isHook(path))
    const edited = found.filter(({ path, name }) => isShared || paths.has(path) || !this.#hooks.has(name))
    if (edited.length === 0) return
    const { hooks, invalid } = await load(edited)
    for (const one of invalid) this.#reportInvalid(one)
    for (const hook of hooks) this.#take(hook, { isEdited: paths.has(hook.path) })
  }

  /** Modules that are hooks, whose text does not show it any more while it is edited. */
  async #unrecognised(discovered: readonly HookFile[]): Promise<readonly HookFile[]> {
    const { files } = this.#options.runtime
    const names = new Set(discovered.map(({ name }) => name))
    const missing = [...this.#hooks.values()].filter(({ name, executor }) => executor === 'worker' && !names.has(name))
    const facts = await Promise.all(missing.map(({ path }) => files.facts(path)))
    return missing.filter((_, index) => facts[index]?.kind === 'file')
  }

  #take(hook: Hook, { isEdited }: { readonly isEdited: boolean }): void {
    const { log } = this.#options.runtime
    const previous = this.#hooks.get(hook.name)
    const current = previous === undefined ? hook : { ...hook, config: withKeptBindings(previous.config, hook.config) }
    this.#hooks.set(hook.name, current)
    const bindings = bindingsOf(current.config)
    if (previous === undefined || previous.config.disabled) {
      this.#engine.addLate([current])
      if (previous === undefined || !current.config.disabled) log.info('hook added', { hook: hook.name, bindings })
    } else if (current.config.disabled) {
      this.#engine.remove([current])
      log.info('hook disabled', { hook: hook.name })
    } else {
      this.#engine.replace(current)
      const kept = keptBindings(previous.config, current.config)
      if (isEdited || hook.executor === 'worker' || kept !== bindings)
        log.info('hook reloaded', { hook: hook.name, bindings, unchanged: kept })
    }
    if (!haveSameWebhooks(previous?.config ?? noWebhooks, current.config))
      log.warn('changed admission and conversion bindings are registered at the next start', { hook: hook.name })
  }

  #remove(hook: Hook): void {
    this.#hooks.delete(hook.name)
    this.#engine.remove([hook])
    this.#options.runtime.log.info('hook removed', { hook: hook.name })
  }

  #reportInvalid({ file: { name, path }, problems }: InvalidHook): void {
    const message = this.#hooks.has(name)
      ? 'the edited hook is invalid: its bindings stay as they were'
      : 'the new hook is invalid: it is not added'
    for (const error of problems) this.#options.runtime.log.error(message, { hook: name, file: path, error })
  }
}

const noWebhooks: Pick<HookConfig, 'validating' | 'mutating' | 'conversions'> = {
  validating: [],
  mutating: [],
  conversions: [],
}

function bindingsOf({ kubernetes, schedules }: HookConfig): number {
  return kubernetes.length + schedules.length
}

function keptBindings(previous: HookConfig, current: HookConfig): number {
  const before: readonly object[] = [...previous.kubernetes, ...previous.schedules]
  return [...current.kubernetes, ...current.schedules].filter((binding) => before.includes(binding)).length
}

/** Warnings about files that have not changed were logged before. */
function aboutChanged(log: Logger, paths: ReadonlySet<string>): Logger {
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    error: (message, fields) => log.error(message, fields),
    with: (fields) => log.with(fields),
    warn: (message, fields) => {
      if (paths.has(String(fields?.['file']))) log.warn(message, fields)
    },
  }
}
