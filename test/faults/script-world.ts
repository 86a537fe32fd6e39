/**
 * Script hooks in an operator that dies at chosen moments and is started again, while users go on changing objects. Moments are before and
 * after each run, each metric, each write and each event of a watch.
 */
import { scriptsSurface } from '../../src/addons/scripts/index.ts'
import { createClient, handlerTransport, type KubeClient, resources } from '../../src/kube/index.ts'
import type { HttpBody, HttpHandler } from '../../src/runtime/http.ts'
import { createSimulation, type Simulation } from '../../src/runtime/simulated/index.ts'
import { ApiServer } from '../../src/sandbox/index.ts'
import { MortalOperators } from './mortal-operators.ts'
import { app, type ConfigMap, copiers, plays, type Told, where } from './script-plays.ts'

export interface Outcome {
  /** Data of the originals, and of the copies each hook made of them, by name. */
  readonly originals: Readonly<Record<string, string>>
  readonly copies: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** What the hook that is told of all of them at once has seen last. */
  readonly summary: unknown
  readonly told: Told
  /** Whether the hook that runs at the start has left its mark. */
  readonly hasStarted: boolean
  readonly moments: readonly string[]
  readonly deaths: number
}

/** Kills the operator at the moments of these numbers, counted from 1 over all operators. */
export async function playScripts(seed: number, deadly: readonly number[] = []): Promise<Outcome> {
  const simulation = createSimulation(seed)
  return simulation.run(async () => {
    const { runtime } = simulation
    const server = new ApiServer(runtime)
    const client = createClient({ transport: handlerTransport(server.as()), runtime })
    const moment = (what: string) => operators.moment(what)
    const operators = new MortalOperators({
      simulation,
      server: withMoments(server.as(), moment),
      deadly,
      surface: () => scriptsSurface({ place: { layout: 'folder', hooksDir: '/hooks' }, tmpDir: '/tmp/hooks' }),
    })
    const told: Told = {}
    await install(simulation, plays(moment, told))
    operators.start()
    await change(client, runtime.clock.sleep)
    await runtime.clock.sleep(120_000)
    const outcome = await look(client, operators, told)
    await operators.stop()
    return outcome
  })
}

/** What users do: quickly and slowly, before, while and after the operator starts. */
async function change(client: KubeClient, sleep: (milliseconds: number) => Promise<void>): Promise<void> {
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

/** A server whose every event of a watch is a moment. */
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

async function look(client: KubeClient, operators: MortalOperators, told: Told): Promise<Outcome> {
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
  const { moments, deaths } = operators
  return { originals, copies, summary, told, hasStarted, moments, deaths }
}
