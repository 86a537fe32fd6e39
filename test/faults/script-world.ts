/**
 * Script hooks in an operator that dies at a chosen moment and is started again, while users go on changing objects. The hook copies what it
 * is told of, so that in the end it can be seen whether anything was lost.
 */
import { scriptsSurface } from '../../src/addons/scripts/index.ts'
import { createClient, handlerTransport, type KubeClient, type KubeObject, resources } from '../../src/kube/index.ts'
import type { HttpBody, HttpHandler, HttpResponse } from '../../src/runtime/http.ts'
import {
  createSimulation,
  type Domain,
  type ScriptedProcess,
  type Simulation,
} from '../../src/runtime/simulated/index.ts'
import { ApiServer } from '../../src/sandbox/index.ts'

type ConfigMap = KubeObject & { data?: Record<string, string> }

interface Element {
  readonly type?: string
  readonly watchEvent?: string
  readonly object?: ConfigMap
  readonly objects?: readonly { readonly object: ConfigMap }[]
}

export interface Outcome {
  /** Data of the originals and of the copies the hook made of them, by name. */
  readonly originals: Readonly<Record<string, string>>
  readonly copies: Readonly<Record<string, string>>
  /** What the hook was told of each object, in order. */
  readonly told: Readonly<Record<string, readonly number[]>>
  /** Whether the hook that runs at the start has left its mark. */
  readonly hasStarted: boolean
  readonly moments: readonly string[]
  readonly deaths: number
}

const where = { namespace: 'default' }
const app = { app: 'test' }
const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Kills the operator at the moment of this number, counted from 1 over all operators; no number means never. */
export async function playScripts(seed: number, deadly?: number): Promise<Outcome> {
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
  readonly told: Record<string, number[]> = {}
  readonly moments: string[] = []
  deaths = 0
  readonly #simulation: Simulation
  readonly #server: HttpHandler
  readonly #deadly: number | undefined
  #domain: Domain | undefined
  #ending: (() => Promise<void>) | undefined

  constructor(simulation: Simulation, server: HttpHandler, deadly: number | undefined) {
    this.#simulation = simulation
    this.#server = server
    this.#deadly = deadly
  }

  async install(): Promise<void> {
    const { files } = this.#simulation.runtime
    await files.makeDirectory('/hooks')
    for (const name of ['start.sh', 'copy.sh']) await files.write(`/hooks/${name}`, '#!/bin/sh\n', { mode: 0o755 })
    this.#simulation.script('/hooks/start.sh', (process) => this.#runStart(process))
    this.#simulation.script('/hooks/copy.sh', (process) => this.#runCopy(process))
  }

  start(): void {
    const domain = this.#simulation.domain('operator')
    this.#domain = domain
    const handler = domain.connect((request) => this.#handle(request))
    const client = createClient({ transport: handlerTransport(handler), runtime: domain.runtime })
    const surface = scriptsSurface({ place: { layout: 'folder', hooksDir: '/hooks' }, tmpDir: '/tmp/hooks' })
    const ending = new AbortController()
    void surface.start({ client, runtime: domain.runtime, signal: ending.signal }).then((running) => {
      this.#ending = async () => {
        ending.abort()
        await running.stop()
      }
    })
  }

  async stop(): Promise<void> {
    await this.#ending?.()
  }

  /** Something the operator may die at. */
  async #moment(what: string): Promise<void> {
    this.moments.push(what)
    if (this.moments.length !== this.#deadly) return
    this.deaths++
    this.#domain?.halt()
    void this.#simulation.clock.sleep(this.moments.length % 2 === 0 ? 500 : 5000).then(() => this.start())
    await new Promise(() => undefined)
  }

  async #handle(request: Parameters<HttpHandler>[0]): Promise<HttpResponse> {
    const isWrite = writes.has(request.method)
    if (isWrite) await this.#moment(`before ${request.method}`)
    const response = await this.#server(request)
    if (isWrite) await this.#moment(`after ${request.method}`)
    if (!request.target.includes('watch=')) return response
    return { ...response, body: this.#events(response.body as HttpBody) }
  }

  async *#events(body: HttpBody): HttpBody {
    for await (const chunk of body) {
      await this.#moment('before a watch event')
      yield chunk
      await this.#moment('after a watch event')
    }
  }

  async #runStart(process: ScriptedProcess): Promise<number> {
    if (process.spec.args?.[0] === '--config') {
      process.print('{"configVersion":"v1","onStartup":1}')
      return 0
    }
    await this.#moment('a run begins')
    await patch(process, [{ operation: 'CreateOrUpdate', object: mapOf('started', '1') }])
    await this.#moment('a run ends')
    return 0
  }

  async #runCopy(process: ScriptedProcess): Promise<number> {
    if (process.spec.args?.[0] === '--config') {
      const binding = { name: 'maps', kind: 'ConfigMap', labelSelector: { matchLabels: app }, jqFilter: '.data' }
      process.print(JSON.stringify({ configVersion: 'v1', kubernetes: [binding] }))
      return 0
    }
    await this.#moment('a run begins')
    const { files, clock } = process.runtime
    const contexts = JSON.parse(await files.readText(process.spec.env['BINDING_CONTEXT_PATH'] ?? '')) as Element[]
    await clock.sleep(900)
    await this.#moment('before a metric')
    await files.write(process.spec.env['METRICS_PATH'] ?? '', '{"name":"copies_total","action":"add","value":1}\n')
    await this.#moment('after a metric')
    await patch(
      process,
      contexts.flatMap((element) => this.#copy(element)),
    )
    await this.#moment('a run ends')
    return 0
  }

  /** A list is the whole truth: what is not in it is gone. */
  #copy({ type, watchEvent, object, objects = [] }: Element): readonly object[] {
    if (type === 'Synchronization') {
      const there = new Set(objects.map((one) => one.object.metadata.name))
      const gone = ['a', 'b', 'c', 'd'].filter((name) => !there.has(name))
      return [...objects.map((one) => this.#copied(one.object)), ...gone.map(removal)]
    }
    if (object === undefined) return []
    return [watchEvent === 'Deleted' ? removal(object.metadata.name) : this.#copied(object)]
  }

  #copied({ metadata: { name }, data }: ConfigMap): object {
    this.told[name] = [...(this.told[name] ?? []), Number(data?.['n'])]
    return { operation: 'CreateOrUpdate', object: mapOf(`copy-${name}`, data?.['n'] ?? '') }
  }
}

function mapOf(name: string, n: string): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...where }, data: { n } }
}

function removal(name: string): object {
  return { operation: 'DeleteInBackground', kind: 'ConfigMap', name: `copy-${name}`, ...where }
}

async function patch({ spec, runtime: { files } }: ScriptedProcess, operations: readonly object[]): Promise<void> {
  const text = operations.map((operation) => `${JSON.stringify(operation)}\n`).join('')
  await files.write(spec.env['KUBERNETES_PATCH_PATH'] ?? '', text)
}

async function look(client: KubeClient, { told, moments, deaths }: Operators): Promise<Outcome> {
  const originals: Record<string, string> = {}
  const copies: Record<string, string> = {}
  let hasStarted = false
  for (const { metadata, data } of (await client.of<ConfigMap>(resources.configMaps).list(where)).items) {
    const n = data?.['n'] ?? ''
    if (metadata.name === 'started') hasStarted = true
    else if (metadata.name.startsWith('copy-')) copies[metadata.name.slice('copy-'.length)] = n
    else if (metadata.labels?.['app'] === 'test') originals[metadata.name] = n
  }
  return { originals, copies, told, hasStarted, moments, deaths }
}
