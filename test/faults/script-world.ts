/**
 * Script hooks in an operator that dies at chosen moments and is started again, while users go on changing objects. Moments are before and
 * after each run, each metric, each write and each event of a watch.
 */
import { scriptsSurface } from '../../src/addons/scripts/index.ts'
import { createClient, handlerTransport, type KubeClient, resources } from '../../src/kube/index.ts'
import type { HttpBody, HttpHandler, HttpResponse } from '../../src/runtime/http.ts'
import type { Processes } from '../../src/runtime/processes.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { createSimulation, type Domain, type Simulation } from '../../src/runtime/simulated/index.ts'
import { ApiServer } from '../../src/sandbox/index.ts'
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

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Kills the operator at the moments of these numbers, counted from 1 over all operators. */
export async function playScripts(seed: number, deadly: readonly number[] = []): Promise<Outcome> {
  const simulation = createSimulation(seed)
  return simulation.run(async () => {
    const { runtime } = simulation
    const server = new ApiServer(runtime)
    const client = createClient({ transport: handlerTransport(server.as()), runtime })
    const operators = new Operators(simulation, server.as(), deadly)
    await operators.install()
    operators.start()
    await change(client, runtime.clock.sleep)
    await runtime.clock.sleep(120_000)
    const outcome = await look(client, operators)
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

class Operators {
  readonly told: Told = {}
  readonly moments: string[] = []
  deaths = 0
  readonly #simulation: Simulation
  readonly #server: HttpHandler
  readonly #deadly: readonly number[]
  #domain: Domain | undefined
  #ending: (() => Promise<void>) | undefined
  #isOver = false

  constructor(simulation: Simulation, server: HttpHandler, deadly: readonly number[]) {
    this.#simulation = simulation
    this.#server = server
    this.#deadly = deadly
  }

  async install(): Promise<void> {
    const { files } = this.#simulation.runtime
    await files.makeDirectory('/hooks')
    for (const [name, script] of Object.entries(plays((what) => this.#moment(what), this.told))) {
      await files.write(`/hooks/${name}`, '#!/bin/sh\n', { mode: 0o755 })
      this.#simulation.script(`/hooks/${name}`, script)
    }
  }

  start(): void {
    if (this.#isOver) return
    this.#ending = undefined
    const domain = this.#simulation.domain('operator')
    this.#domain = domain
    const runtime: Runtime = { ...domain.runtime, processes: this.#watched(domain.runtime.processes) }
    const handler = domain.connect((request) => this.#handle(request))
    const client = createClient({ transport: handlerTransport(handler), runtime })
    const surface = scriptsSurface({ place: { layout: 'folder', hooksDir: '/hooks' }, tmpDir: '/tmp/hooks' })
    const ending = new AbortController()
    void surface.start({ client, runtime, signal: ending.signal }).then((running) => {
      this.#ending = async () => {
        ending.abort()
        await running.stop()
      }
    })
  }

  /** One that is dead at this moment cannot be stopped, and nobody comes after it. */
  async stop(): Promise<void> {
    this.#isOver = true
    if (this.#domain?.halted === false) await this.#ending?.()
  }

  async #moment(what: string): Promise<void> {
    if (this.#dies(what)) await new Promise(() => undefined)
  }

  #dies(what: string): boolean {
    this.moments.push(what)
    if (this.#isOver || !this.#deadly.includes(this.moments.length)) return false
    this.deaths++
    this.#domain?.halt()
    void this.#simulation.clock.sleep(this.moments.length % 2 === 0 ? 500 : 5000).then(() => this.start())
    return true
  }

  /** The operator as the one who starts hooks: it may die when it is about to, and when it learns of the end. */
  #watched(processes: Processes): Processes {
    return {
      spawn: (spec) => {
        if (spec.args?.[0] === '--config') return processes.spawn(spec)
        this.#dies('run: before')
        const running = processes.spawn(spec)
        const ended = running.ended.then(async (exit) => {
          await this.#moment('run: after')
          return exit
        })
        return { ...running, ended }
      },
    }
  }

  async #handle(request: Parameters<HttpHandler>[0]): Promise<HttpResponse> {
    const isWrite = writes.has(request.method)
    if (isWrite) await this.#moment('write: before')
    const response = await this.#server(request)
    if (isWrite) await this.#moment('write: after')
    if (!request.target.includes('watch=')) return response
    return { ...response, body: this.#events(response.body as HttpBody) }
  }

  async *#events(body: HttpBody): HttpBody {
    for await (const chunk of body) {
      await this.#moment('watch event: before')
      yield chunk
      await this.#moment('watch event: after')
    }
  }
}

async function look(client: KubeClient, { told, moments, deaths }: Operators): Promise<Outcome> {
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
  return { originals, copies, summary, told, hasStarted, moments, deaths }
}
