/**
 * Script hooks in an operator that crashes at chosen moments and is started again, while users change objects. Moments are before and after
 * each run, each metric, each write and each watch event.
 */
import { scriptsSurface } from '../../src/addons/scripts/index.ts'
import { createClient, handlerTransport, type KubeClient, resources } from '../../src/kube/index.ts'
import type { HttpBody, HttpHandler } from '../../src/runtime/http.ts'
import { createSimulation, type Simulation } from '../../src/runtime/simulated/index.ts'
import { ApiServer } from '../../src/sandbox/index.ts'
import { CrashingOperators } from './crashing-operators.ts'
import { app, type ConfigMap, copiers, plays, type ReceivedValues, where } from './script-plays.ts'

export interface Outcome {
  /** The data of the originals, and of the copies of each hook, by name. */
  readonly originals: Readonly<Record<string, string>>
  readonly copies: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The last summary of the hook that gets all objects as snapshots. */
  readonly summary: unknown
  readonly received: ReceivedValues
  /** Whether the onStartup hook has run. */
  readonly hasStarted: boolean
  readonly moments: readonly string[]
  readonly crashes: number
}

/** Kills the operator at the moments with these numbers, counted from 1 over all operators. */
export async function playScripts(seed: number, crashAt: readonly number[] = []): Promise<Outcome> {
  const simulation = createSimulation(seed, { maxEvents: 100_000 })
  return simulation.run(async () => {
    const { runtime } = simulation
    const server = new ApiServer(runtime)
    const client = createClient({ transport: handlerTransport(server.as()), runtime })
    const moment = (what: string) => operators.moment(what)
    const operators = new CrashingOperators({
      simulation,
      server: withMoments(server.as(), moment),
      crashAt,
      surface: () => scriptsSurface({ place: { layout: 'folder', hooksDir: '/hooks' }, tmpDir: '/tmp/hooks' }),
    })
    const received: ReceivedValues = {}
    await install(simulation, plays(moment, received))
    operators.start()
    await changeAsUser(client, runtime.clock.sleep)
    await runtime.clock.sleep(120_000)
    const outcome = await stateOf(client, operators, received)
    await operators.stop()
    return outcome
  })
}

/** The actions of users: fast and slow, before, during and after the start of the operator. */
async function changeAsUser(client: KubeClient, sleep: (milliseconds: number) => Promise<void>): Promise<void> {
  const maps = client.of<ConfigMap>(resources.configMaps)
  const create = (name: string) =>
    maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...where, labels: app }, data: { n: '1' } })
  const set = (name: string, n: number) => maps.patch(name, { type: 'merge', value: { data: { n: `${n}` } } }, where)
  await create('a')
  await create('b')
  await sleep(3000)
  await create('c')
  for (let n = 2; n <= 4; n++) await set('a', n)
  await sleep(700)
  await set('b', 2)
  await set('c', 2)
  await sleep(2500)
  await maps.delete('b', where)
  await set('a', 5)
  await sleep(4000)
  await create('d')
  await set('c', 3)
}

async function install(simulation: Simulation, hooks: ReturnType<typeof plays>): Promise<void> {
  const { files } = simulation.runtime
  await files.makeDirectory('/hooks')
  for (const [name, play] of Object.entries(hooks)) {
    await files.write(`/hooks/${name}`, '#!/bin/sh\n', { mode: 0o755 })
    simulation.script(`/hooks/${name}`, play)
  }
}

/** A server with a moment before and after every watch event. */
function withMoments(server: HttpHandler, moment: (what: string) => Promise<void>): HttpHandler {
  async function* events(body: HttpBody): HttpBody {
    for await (const chunk of body) {
      await moment('watch event: before')
      yield chunk
      await moment('watch event: after')
    }
  }
  return async (request) => {
    const response = await server(request)
    return request.target.includes('watch=') ? { ...response, body: events(response.body as HttpBody) } : response
  }
}

async function stateOf(client: KubeClient, operators: CrashingOperators, received: ReceivedValues): Promise<Outcome> {
  const originals: Record<string, string> = {}
  const copies: Record<string, Record<string, string>> = Object.fromEntries(copiers.map((hook) => [hook, {}]))
  let hasStarted = false
  let summary: unknown
  for (const { metadata, data } of (await client.of<ConfigMap>(resources.configMaps).list(where)).items) {
    const n = data?.['n'] ?? ''
    const [hook = '', name = ''] = metadata.name.split('-')
    const copied = copies[hook]
    if (metadata.name === 'started') hasStarted = true
    else if (metadata.name === 'summary') summary = JSON.parse(n)
    else if (copied !== undefined) copied[name] = n
    else if (metadata.labels?.['app'] === 'test') originals[metadata.name] = n
  }
  const { moments, crashes } = operators
  return { originals, copies, summary, received, hasStarted, moments, crashes }
}
