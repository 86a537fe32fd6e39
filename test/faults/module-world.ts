/**
 * Modules in an operator that dies at chosen moments and is started again, while users change the ConfigMap and objects. Moments are before and
 * after each run, each call of helm that changes something, and each write.
 */
import { createClient, handlerTransport, type KubeClient, type KubeObject, resources } from '../../src/kube/index.ts'
import type { HttpHandler, HttpResponse } from '../../src/runtime/http.ts'
import type { Processes } from '../../src/runtime/processes.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { createSimulation, type Domain, type Simulation } from '../../src/runtime/simulated/index.ts'
import { ApiServer } from '../../src/sandbox/index.ts'
import { configMapPlace, configure, surfaceOf, writeWorld } from '../sandbox/modules.ts'
import { SimulatedHelm } from '../sandbox/simulated-helm.ts'
import { type Marks, playedModules } from './module-plays.ts'

export interface ModulesOutcome {
  /** Values of releases, by name. */
  readonly releases: Readonly<Record<string, unknown>>
  readonly configured: unknown
  /** How often each hook came to its end, by hook and binding. */
  readonly marks: Marks
  readonly moments: readonly string[]
  readonly deaths: number
}

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Kills the operator at the moments of these numbers, counted from 1 over all operators. */
export async function playModuleDeaths(seed: number, deadly: readonly number[] = []): Promise<ModulesOutcome> {
  const simulation = createSimulation(seed)
  return simulation.run(async () => {
    const { runtime } = simulation
    const server = new ApiServer(runtime)
    const client = createClient({ transport: handlerTransport(server.as()), runtime })
    const operators = new Operators(simulation, server.as(), deadly)
    operators.helm.put('gone', { moduleChecksum: 'x' })
    await writeWorld(simulation, playedModules(operators.marks), () => {})
    await configure(client, { global: 'zone: a\n', storeEnabled: 'true' })
    operators.start()
    await change(client, runtime.clock.sleep)
    await runtime.clock.sleep(120_000)
    const outcome = await look(client, operators)
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

class Operators {
  readonly moments: string[] = []
  readonly marks: Marks = {}
  readonly helm: SimulatedHelm
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
    this.helm = new SimulatedHelm(
      () => {},
      (what) => this.#moment(what),
    )
    simulation.script('helm', this.helm.script)
  }

  start(): void {
    if (this.#isOver) return
    this.#ending = undefined
    const domain = this.#simulation.domain('operator')
    this.#domain = domain
    const runtime: Runtime = { ...domain.runtime, processes: this.#watched(domain.runtime.processes) }
    const handler = domain.connect((request) => this.#handle(request))
    const client = createClient({ transport: handlerTransport(handler), runtime })
    const ending = new AbortController()
    void surfaceOf()
      .start({ client, runtime, signal: ending.signal })
      .then((running) => {
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

  #watched(processes: Processes): Processes {
    return {
      spawn: (spec) => {
        if (spec.args?.[0] === '--config' || spec.command.endsWith('helm')) return processes.spawn(spec)
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
    return response
  }
}

async function look(client: KubeClient, { helm, marks, moments, deaths }: Operators): Promise<ModulesOutcome> {
  const maps = client.of<KubeObject & { data?: object }>(resources.configMaps)
  const { data } = await maps.get(configMapPlace.name, configMapPlace)
  const releases = Object.fromEntries([...helm.releases.values()].map(({ name, values }) => [name, values]))
  return { releases, configured: data, marks, moments, deaths }
}
