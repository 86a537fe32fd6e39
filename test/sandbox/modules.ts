/**
 * Modules in virtual time: the surface on a sandbox, with hooks and helm simulated by functions. The journal lists hook
 * runs and release changes in order.
 */
import { type ModulesOptions, modulesSurface } from '../../src/addons/modules/index.ts'
import { createClient, type KubeClient, type KubeObject, resources } from '../../src/kube/index.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { createSimulation, type ScriptedProcess, type Simulation } from '../../src/runtime/simulated/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { liveSurface } from './live-surface.ts'
import type { HookPlay } from './scripts.ts'
import { SimulatedHelm } from './simulated-helm.ts'

export interface ModulePlay {
  /** Whether it has a chart. @default false */
  readonly chart?: boolean
  /** `values.yaml` of the module. */
  readonly values?: string
  readonly hooks?: Readonly<Record<string, HookPlay>>
  /** The output of the `enabled` script; called each time the script runs. */
  readonly enabled?: (process: ScriptedProcess) => Promise<string>
}

export interface WorldPlay {
  readonly globalHooks?: Readonly<Record<string, HookPlay>>
  /** Keyed by folder. */
  readonly modules?: Readonly<Record<string, ModulePlay>>
  /** `values.yaml` beside the modules. */
  readonly values?: string
}

export interface ModulesStage {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly simulation: Simulation
  readonly helm: SimulatedHelm
  /** Hook runs as `001-web/hooks/a.sh beforeHelm`, releases as `helm upgrade web {…}`. */
  readonly journal: string[]
  /** New entries of the journal since the last call. */
  news(): readonly string[]
  start(): Promise<void>
  stop(): Promise<void>
  sleep(seconds: number): Promise<void>
  get(path: string): Promise<string>
  /** Changes the ConfigMap; null removes a key. */
  configure(data: Readonly<Record<string, string | null>>): Promise<void>
  configured(): Promise<Readonly<Record<string, string>> | undefined>
}

const root = '/addons'
export const configMapPlace = { namespace: 'default', name: 'addon-operator' }

export function surfaceOf(options: Partial<ModulesOptions> = {}) {
  return modulesSurface({
    place: { layout: 'document', workingDir: root },
    tmpDir: '/tmp/modules',
    modules: { dirs: [`${root}/modules`], isOnByDefault: true },
    configMap: configMapPlace,
    helm: { namespace: 'default' },
    ...options,
  })
}

export async function playModules(
  world: WorldPlay,
  scenario: (stage: ModulesStage) => Promise<void>,
  options: Partial<ModulesOptions> = {},
): Promise<void> {
  const simulation = createSimulation(1)
  await simulation.run(async () => {
    const { runtime } = simulation
    const sandbox = createSandbox(runtime, { nodes: 0 })
    await sandbox.ready
    const client = createClient({ transport: sandbox.transport(), runtime })
    const journal: string[] = []
    const helm = new SimulatedHelm((change) => journal.push(change))
    simulation.script('helm', helm.script)
    await writeWorld(simulation, world, (line) => journal.push(line))
    const maps = client.of<KubeObject & { data?: Record<string, string> }>(resources.configMaps)
    let read = 0
    const stage: ModulesStage = {
      ...liveSurface(surfaceOf(options), { client, runtime }),
      client,
      runtime,
      simulation,
      helm,
      journal,
      news() {
        const news = journal.slice(read)
        read = journal.length
        return news
      },
      sleep: (seconds) => runtime.clock.sleep(seconds * 1000),
      configure: (data) => configure(client, data),
      async configured() {
        return (await maps.get(configMapPlace.name, configMapPlace).catch(() => undefined))?.data
      },
    }
    try {
      await scenario(stage)
    } finally {
      await stage.stop()
      await sandbox.stop()
    }
  })
}

export async function configure(client: KubeClient, data: Readonly<Record<string, string | null>>): Promise<void> {
  const maps = client.of<KubeObject & { data: object }>(resources.configMaps)
  const { name, namespace } = configMapPlace
  const found = await maps.get(name, { namespace }).catch(() => undefined)
  if (found === undefined) await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: configMapPlace, data })
  else await maps.patch(name, { type: 'merge', value: { data } }, { namespace })
}

/** Writes the files and registers the functions that simulate them. */
export async function writeWorld(
  simulation: Simulation,
  { globalHooks = {}, modules = {}, values }: WorldPlay,
  note: (line: string) => void,
): Promise<void> {
  const { files } = simulation.runtime
  await files.makeDirectory(`${root}/modules`)
  if (values !== undefined) await files.write(`${root}/modules/values.yaml`, values)
  for (const [name, play] of Object.entries(globalHooks))
    await writeHook(simulation, `${root}/global-hooks/${name}`, play, note)
  for (const [folder, module] of Object.entries(modules)) {
    const path = `${root}/modules/${folder}`
    await files.makeDirectory(path)
    if (module.values !== undefined) await files.write(`${path}/values.yaml`, module.values)
    if (module.chart === true) {
      await files.makeDirectory(`${path}/templates`)
      await files.write(`${path}/Chart.yaml`, `name: ${folder.replace(/^\d+-/, '')}\nversion: 1.0.0\n`)
    }
    for (const [name, play] of Object.entries(module.hooks ?? {}))
      await writeHook(simulation, `${path}/hooks/${name}`, play, note)
    const { enabled } = module
    if (enabled === undefined) continue
    await files.write(`${path}/enabled`, '#!/bin/sh\n', { mode: 0o755 })
    simulation.script(`${path}/enabled`, async (process) => {
      await files.write(process.spec.env['MODULE_ENABLED_RESULT'] ?? '', await enabled(process))
      return 0
    })
  }
}

async function writeHook(
  simulation: Simulation,
  path: string,
  { config, run }: HookPlay,
  note: (line: string) => void,
): Promise<void> {
  const { files } = simulation.runtime
  const name = path.replace(`${root}/modules/`, '').replace(`${root}/`, '')
  await files.makeDirectory(path.slice(0, path.lastIndexOf('/')))
  await files.write(path, '#!/bin/sh\n', { mode: 0o755 })
  simulation.script(path, async (process) => {
    if (process.spec.args?.[0] === '--config') {
      process.print(JSON.stringify(config))
      return 0
    }
    const contexts = JSON.parse(await files.readText(process.spec.env['BINDING_CONTEXT_PATH'] ?? ''))
    note(`${name} ${contexts.map(({ binding }: { binding: string }) => binding).join(',')}`)
    return (await run?.(process, contexts)) ?? 0
  })
}

/** Reads a JSON file of a process by its environment variable. */
export async function readJson(process: ScriptedProcess, variable: string): Promise<unknown> {
  return JSON.parse(await process.runtime.files.readText(process.spec.env[variable] ?? ''))
}

/** Writes a JSON patch file. */
export async function patch(
  { spec, runtime }: ScriptedProcess,
  operations: readonly object[],
  variable = 'VALUES_JSON_PATCH_PATH',
): Promise<number> {
  await runtime.files.write(spec.env[variable] ?? '', JSON.stringify(operations))
  return 0
}
