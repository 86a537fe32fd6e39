/**
 * The module host: finds modules and their hooks, provides the values of hooks and applies their values patches, and converges when the
 * ConfigMap or a hook changes values. `converge` decides what runs when; the other folders do the work.
 */

import type { ExtraRoutes } from '../scripts/debug/routes.ts'
import { discoverModuleHooks } from '../scripts/discovery/discover.ts'
import type { RunReason } from '../scripts/engine/runs.ts'
import type { Hook, HookFile } from '../scripts/hook.ts'
import type { EngineControl, ModuleHost, ModuleHostContext } from '../scripts/index.ts'
import { applyPatches } from './config-map/apply-patches.ts'
import { ConfigMapSource } from './config-map/source.ts'
import { Converge } from './converge/converge.ts'
import type { Member } from './converge/member.ts'
import { ModuleMetrics } from './converge/metrics.ts'
import { moduleRoutes } from './debug/routes.ts'
import { discoverModules } from './discovery/discover.ts'
import type { Module } from './discovery/module.ts'
import { type Decision, decideEnabled, type ModuleFlags } from './enabled/decide.ts'
import { runEnabledScript } from './enabled/script.ts'
import { ModuleHelm } from './helm/helm.ts'
import type { ModulesOptions } from './options.ts'
import { globalKey } from './values/keys.ts'
import { Values, type ValuesFiles } from './values/values.ts'

export async function createModuleHost(options: ModulesOptions, context: ModuleHostContext): Promise<ModuleHost> {
  const { client, runtime, signal, metricsPrefix } = context
  const { dirs, unnumbered } = options.modules
  const discovered = await discoverModules(runtime, dirs, unnumbered === undefined ? {} : { unnumbered })
  const metrics = new ModuleMetrics(runtime.metrics, metricsPrefix)
  const configMap = new ConfigMapSource(client, runtime, {
    ...options.configMap,
    moduleKeys: discovered.modules.map(({ key }) => key),
    refused: () => metrics.configRefused(),
  })
  await configMap.start(signal)
  const values = new Values(discovered.static)
  values.setConfig(configMap.state)
  const modules = await Promise.all(
    discovered.modules.map(async (module) => ({
      module,
      files: await discoverModuleHooks(runtime.files, runtime.log, options.place.workingDir, module),
    })),
  )
  return new Host(options, context, { modules, staticFlags: discovered.static.flags, metrics, configMap, values })
}

interface HostState {
  readonly modules: readonly { readonly module: Module; readonly files: readonly HookFile[] }[]
  readonly staticFlags: ModuleFlags
  readonly metrics: ModuleMetrics
  readonly configMap: ConfigMapSource
  readonly values: Values
}

class Host implements ModuleHost {
  readonly files: readonly HookFile[]
  readonly debug: ExtraRoutes
  readonly #options: ModulesOptions
  readonly #context: ModuleHostContext
  readonly #state: HostState
  /** The modules of module hooks, by the name of the hook. */
  readonly #owners = new Map<string, Member>()
  #converge: Converge | undefined
  #decisions: readonly Decision[] = []

  constructor(options: ModulesOptions, context: ModuleHostContext, state: HostState) {
    this.#options = options
    this.#context = context
    this.#state = state
    this.files = state.modules.flatMap(({ files }) => files)
    const modules = state.modules.map(({ module }) => module)
    this.debug = moduleRoutes({ modules, values: state.values, decisions: () => this.#decisions })
  }

  valuesFor(hook: Hook): ValuesFiles {
    return this.#state.values.files(this.#keyOf(hook))
  }

  async applyValuesPatches(hook: Hook, patches: ValuesFiles, why: RunReason): Promise<void> {
    const { signal } = this.#context
    const { changed, flagsChanged } = await applyPatches(this.#state, this.#keyOf(hook), patches, signal)
    if ((changed || flagsChanged) && this.#converge !== undefined)
      onValuesChanged(this.#converge, this.#owners.get(hook.name), why)
  }

  start(engine: EngineControl, hooks: readonly Hook[]): { readonly ready: Promise<void> } {
    const { runtime, client } = this.#context
    const { metrics, values, configMap } = this.#state
    const { helm, tmpDir, ignoredRelease } = this.#options
    const members = this.#state.modules.map(({ module, files }): Member => {
      const names = new Set(files.map(({ name }) => name))
      return { module, hooks: hooks.filter(({ name, config }) => names.has(name) && !config.disabled) }
    })
    for (const member of members) for (const { name } of member.hooks) this.#owners.set(name, member)
    const converge = new Converge({
      runtime,
      engine,
      metrics,
      members,
      globalHooks: hooks.filter(({ scope, config }) => scope === 'global' && !config.disabled),
      helm: new ModuleHelm(runtime, client, { ...helm, tmpDir }),
      ignoredRelease,
      decide: (signal) => this.#decide(signal),
      valuesOf: ({ key }) => values.effective(key),
      setEnabled: (names) => values.setEnabledModules(names),
      forget: ({ key }) => values.forget(key),
    })
    this.#converge = converge
    // The ConfigMap may have changed while hooks printed their configurations.
    values.setConfig(configMap.state)
    configMap.subscribe((change, state) => {
      values.setConfig(state)
      converge.configChanged(change)
    })
    converge.begin()
    return { ready: converge.ready }
  }

  async #decide(signal: AbortSignal): Promise<readonly Decision[]> {
    const { runtime, env } = this.#context
    const { tmpDir, place, modules } = this.#options
    const { staticFlags, values, configMap } = this.#state
    const flags = {
      byDefault: modules.isOnByDefault,
      static: staticFlags,
      dynamic: values.dynamicFlags,
      config: configMap.state.flags,
    }
    const scriptOptions = { env, workingDir: place.workingDir, tmpDir, signal }
    const all = this.#state.modules.map(({ module }) => module)
    this.#decisions = await decideEnabled(all, flags, (module, before) =>
      runEnabledScript(runtime, module, values.files(module.key, before), scriptOptions),
    )
    return this.#decisions
  }

  /** The key of the hook's module; `global` for global hooks. */
  #keyOf({ name }: Hook): string {
    return this.#owners.get(name)?.module.key ?? globalKey
  }
}

/** Values that a hook changed need a new run of the module only if the run has already used the old values. */
function onValuesChanged(converge: Converge, owner: Member | undefined, why: RunReason): void {
  switch (why) {
    case 'afterHelm':
    case 'afterAll':
      converge.valuesChanged(owner, 'afterRun')
      return
    case 'event':
    case 'schedule':
    case 'review':
      converge.valuesChanged(owner, 'anytime')
      return
    case 'synchronization':
      if (!converge.isPending(owner)) converge.valuesChanged(owner, 'anytime')
      return
    default:
  }
}
