/**
 * Modules in an operator that dies at chosen moments and is started again, while users change the ConfigMap and objects. Moments are before and
 * after each run, each call of helm that changes something, and each write.
 */
import { createClient, handlerTransport, type KubeClient, type KubeObject, resources } from '../../src/kube/index.ts'
import { createSimulation } from '../../src/runtime/simulated/index.ts'
import { ApiServer } from '../../src/sandbox/index.ts'
import { configMapPlace, configure, surfaceOf, writeWorld } from '../sandbox/modules.ts'
import { SimulatedHelm } from '../sandbox/simulated-helm.ts'
import { type Marks, playedModules } from './module-plays.ts'
import { MortalOperators } from './mortal-operators.ts'

export interface ModulesOutcome {
  /** Values of releases, by name. */
  readonly releases: Readonly<Record<string, unknown>>
  readonly configured: unknown
  /** How often each hook came to its end, by hook and binding. */
  readonly marks: Marks
  readonly moments: readonly string[]
  readonly deaths: number
}

/** Kills the operator at the moments of these numbers, counted from 1 over all operators. */
export async function playModuleDeaths(seed: number, deadly: readonly number[] = []): Promise<ModulesOutcome> {
  const simulation = createSimulation(seed)
  return simulation.run(async () => {
    const { runtime } = simulation
    const server = new ApiServer(runtime)
    const client = createClient({ transport: handlerTransport(server.as()), runtime })
    const operators = new MortalOperators({ simulation, server: server.as(), deadly, surface: surfaceOf })
    const marks: Marks = {}
    const helm = new SimulatedHelm(
      () => {},
      (what) => operators.moment(what),
    )
    simulation.script('helm', helm.script)
    helm.put('gone', { moduleChecksum: 'x' })
    await writeWorld(simulation, playedModules(marks), () => {})
    await configure(client, { global: 'zone: a\n', storeEnabled: 'true' })
    operators.start()
    await change(client, runtime.clock.sleep)
    await runtime.clock.sleep(120_000)
    const outcome = { ...(await look(client, helm)), marks, moments: operators.moments, deaths: operators.deaths }
    await operators.stop()
    return outcome
  })
}

/** What users do: values, flags and an object that a hook follows. */
async function change(client: KubeClient, sleep: (milliseconds: number) => Promise<void>): Promise<void> {
  const maps = client.of<KubeObject & { data: object }>(resources.configMaps)
  const create = (name: string) =>
    maps.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', labels: { app: 'test' } },
      data: {},
    })
  await create('one')
  await sleep(25_000)
  await configure(client, { web: 'port: 80\n' })
  await create('two')
  await sleep(25_000)
  await configure(client, { storeEnabled: 'false' })
  await sleep(25_000)
  await configure(client, { global: 'zone: b\n' })
}

async function look(client: KubeClient, helm: SimulatedHelm): Promise<Pick<ModulesOutcome, 'releases' | 'configured'>> {
  const maps = client.of<KubeObject & { data?: object }>(resources.configMaps)
  const { data } = await maps.get(configMapPlace.name, configMapPlace)
  const releases = Object.fromEntries([...helm.releases.values()].map(({ name, values }) => [name, values]))
  return { releases, configured: data }
}
