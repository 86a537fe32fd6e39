/**
 * Modules in an operator that crashes at chosen moments and is started again, while users change the ConfigMap and objects. Moments are
 * before and after each run, each helm call with changes, and each write.
 */
import { createClient, handlerTransport, type KubeClient, type KubeObject, resources } from '../../src/kube/index.ts'
import { createSimulation } from '../../src/runtime/simulated/index.ts'
import { ApiServer } from '../../src/sandbox/index.ts'
import { configMapPlace, configure, surfaceOf, writeWorld } from '../sandbox/modules.ts'
import { SimulatedHelm } from '../sandbox/simulated-helm.ts'
import { CrashingOperators } from './crashing-operators.ts'
import { type Marks, playedModules } from './module-plays.ts'

export interface ModulesOutcome {
  /** The values of releases, by name. */
  readonly releases: Readonly<Record<string, unknown>>
  readonly configured: unknown
  /** How often each hook completed, by hook and binding. */
  readonly marks: Marks
  readonly moments: readonly string[]
  readonly crashes: number
}

/** Kills the operator at the moments with these numbers, counted from 1 over all operators. */
export async function playModuleCrashes(seed: number, crashAt: readonly number[] = []): Promise<ModulesOutcome> {
  const simulation = createSimulation(seed, { maxEvents: 100_000 })
  return simulation.run(async () => {
    const { runtime } = simulation
    const server = new ApiServer(runtime)
    const client = createClient({ transport: handlerTransport(server.as()), runtime })
    const operators = new CrashingOperators({ simulation, server: server.as(), crashAt, surface: surfaceOf })
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
    await changeAsUser(client, runtime.clock.sleep)
    await runtime.clock.sleep(120_000)
    const outcome = { ...(await stateOf(client, helm)), marks, moments: operators.moments, crashes: operators.crashes }
    await operators.stop()
    return outcome
  })
}

/** The actions of users: values, flags and an object that a hook watches. */
async function changeAsUser(client: KubeClient, sleep: (milliseconds: number) => Promise<void>): Promise<void> {
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

async function stateOf(
  client: KubeClient,
  helm: SimulatedHelm,
): Promise<Pick<ModulesOutcome, 'releases' | 'configured'>> {
  const maps = client.of<KubeObject & { data?: object }>(resources.configMaps)
  const { data } = await maps.get(configMapPlace.name, configMapPlace)
  const releases = Object.fromEntries([...helm.releases.values()].map(({ name, values }) => [name, values]))
  return { releases, configured: data }
}
