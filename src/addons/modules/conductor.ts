/**
 * Modules as conductor of script hooks: finds modules and their hooks, gives hooks their values and keeps what they change, and converges whenever
 * the ConfigMap or a hook changed something. What is done when, is in `converge`; how, in the rooms of the parts.
 */
import { discoverModuleHooks } from '../scripts/discovery/discover.ts'
import type { RunReason } from '../scripts/engine/runs.ts'
import type { Hook } from '../scripts/hook.ts'
import type { Conductor, ConductorContext } from '../scripts/index.ts'
import { keepPatches } from './config-map/keep-patches.ts'
import { ConfigMapSource } from './config-map/source.ts'
import { Converge } from './converge/converge.ts'
import type { Member } from './converge/member.ts'
import { ModuleMetrics } from './converge/metrics.ts'
import { moduleRoutes } from './debug/routes.ts'
import { discoverModules } from './discovery/discover.ts'
import { type Decision, decideEnabled } from './enabled/decide.ts'
import { askEnabledScript } from './enabled/script.ts'
import { ModuleHelm } from './helm/helm.ts'
import type { ModulesOptions } from './options.ts'
import { globalKey } from './values/keys.ts'
import { Values } from './values/values.ts'

export async function conductModules(options: ModulesOptions, context: ConductorContext): Promise<Conductor> {
  const { client, runtime, signal, env, metricsPrefix } = context
  const { place, tmpDir } = options
  const { dirs, unnumbered, isOnByDefault } = options.modules
  const { modules, static: statics } = await discoverModules(
    runtime,
    dirs,
    unnumbered === undefined ? {} : { unnumbered },
  )
  const moduleKeys = modules.map(({ key }) => key)
  const metrics = new ModuleMetrics(runtime.metrics, metricsPrefix)
  const values = new Values(statics)
  const configMap = new ConfigMapSource(client, runtime, {
    ...options.configMap,
    moduleKeys,
    refused: () => metrics.configRefused(),
  })
  await configMap.start(signal)
  values.setConfig(configMap.state)
  const found = await Promise.all(
    modules.map(async (module) => ({
      module,
      files: await discoverModuleHooks(runtime.files, runtime.log, place.workingDir, module),
    })),
  )
  const owners = new Map<string, Member>()
  const ownerOf = ({ name }: Hook) => owners.get(name)
  const keyOf = (hook: Hook) => ownerOf(hook)?.module.key ?? globalKey
  let converge: Converge | undefined
  let decided: readonly Decision[] = []
  return {
    files: found.flatMap(({ files }) => files),
    valuesFor: (hook) => values.files(keyOf(hook)),
    async keep(hook, patches, why) {
      const { changed, flagsChanged } = await keepPatches({ values, configMap }, keyOf(hook), patches, signal)
      const owner = ownerOf(hook)
      if ((changed || flagsChanged) && converge !== undefined) tell(converge, owner, why)
    },
    start(engine, hooks) {
      const members = found.map(({ module, files }): Member => {
        const names = new Set(files.map(({ name }) => name))
        return { module, hooks: hooks.filter(({ name, config }) => names.has(name) && !config.disabled) }
      })
      for (const member of members) for (const { name } of member.hooks) owners.set(name, member)
      const converging = new Converge({
        runtime,
        engine,
        metrics,
        members,
        globalHooks: hooks.filter(({ scope, config }) => scope === 'global' && !config.disabled),
        helm: new ModuleHelm(runtime, client, { ...options.helm, tmpDir }),
        ignoredRelease: options.ignoredRelease,
        decide: async (until) => {
          const flags = {
            byDefault: isOnByDefault,
            static: statics.flags,
            dynamic: values.dynamicFlags,
            config: configMap.state.flags,
          }
          const asking = { env, workingDir: place.workingDir, tmpDir, signal: until }
          decided = await decideEnabled(modules, flags, (module, before) =>
            askEnabledScript(runtime, module, values.files(module.key, before), asking),
          )
          return decided
        },
        valuesOf: ({ key }) => values.effective(key),
        enabled: (names) => values.setEnabledModules(names),
        forget: ({ key }) => values.forget(key),
      })
      converge = converging
      // It may have changed while hooks were asked for their configurations.
      values.setConfig(configMap.state)
      configMap.subscribe((change, state) => {
        values.setConfig(state)
        converging.configured(change)
      })
      converging.begin()
      return { ready: converging.ready }
    },
    debug: moduleRoutes({ modules, values, decisions: () => decided }),
  }
}

/** Whether something has to be done about values that a hook changed depends on whether what they are for still comes. */
function tell(converge: Converge, owner: Member | undefined, why: RunReason): void {
  switch (why) {
    case 'afterHelm':
    case 'afterAll':
      converge.changed(owner, true)
      return
    case 'event':
    case 'schedule':
    case 'review':
      converge.changed(owner, false)
      return
    case 'synchronization':
      if (!converge.isStillToCome(owner)) converge.changed(owner, false)
      return
    default:
  }
}
