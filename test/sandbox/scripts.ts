/**
 * Script hooks in virtual time: the surface on a sandbox, with hooks simulated by functions. Every run is recorded with
 * its time and contexts.
 */
import { type ScriptsOptions, scriptsSurface } from '../../src/addons/scripts/index.ts'
import { createClient, type KubeClient, type KubeObject, resources, type Transport } from '../../src/kube/index.ts'
import { ConnectionError, type HttpBody, type HttpRequest, type HttpResponse } from '../../src/runtime/http.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import {
  createSimulation,
  type ScriptedProcess,
  type Simulation,
  type SimulationOptions,
} from '../../src/runtime/simulated/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { liveSurface } from './live-surface.ts'

export interface HookPlay {
  /** The output for `--config`, read on each call. */
  readonly config: object
  /**
   * Simulates the run and returns the exit code.
   * @default succeeds immediately
   */
  run?(process: ScriptedProcess, contexts: readonly Context[]): Promise<number>
}

/** One element of a binding context, with the fields tests read. */
export interface Context {
  readonly binding: string
  readonly type?: string
  readonly watchEvent?: string
  readonly object?: KubeObject & { readonly data?: Readonly<Record<string, string>> }
  readonly objects?: readonly { readonly object?: KubeObject; readonly filterResult?: unknown }[]
  readonly filterResult?: unknown
  readonly snapshots?: Readonly<
    Record<string, readonly { readonly object?: KubeObject; readonly filterResult?: unknown }[]>
  >
}

export interface Ran {
  readonly hook: string
  /** Seconds since the first start of the surface. */
  readonly at: number
  readonly contexts: readonly Context[]
}

export interface Stage {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly simulation: Simulation
  readonly runs: Ran[]
  /** Requests of the surface: method, path and query. */
  readonly requests: string[]
  readonly network: Network
  /** The contexts of each run of a hook, one line per run. */
  contextsOf(hook: string): readonly string[]
  /** Starts the surface and waits until all watches and schedules are active. */
  start(): Promise<void>
  stop(): Promise<void>
  sleep(seconds: number): Promise<void>
  get(path: string): Promise<string>
  /** Creates a ConfigMap with the label `app: test`, which ConfigMaps of the cluster do not have. */
  configMap(name: string, data: Readonly<Record<string, string>>, namespace?: string): Promise<void>
  change(name: string, data: Readonly<Record<string, string>>, namespace?: string): Promise<void>
  remove(name: string, namespace?: string): Promise<void>
  namespace(name: string, labels?: Readonly<Record<string, string | null>>): Promise<void>
}

/** The connection from the surface to the API server, with fault injection. */
export interface Network {
  /** Breaks the connection, including open watches. */
  cut(): void
  restore(): void
  /** Overrides the response of the API server when it returns one. */
  answer: ((request: HttpRequest) => HttpResponse | undefined) | undefined
  /** Connects to another API server. */
  moveTo(transport: Transport): void
}

export interface StageOptions {
  readonly seed?: number
  readonly simulation?: SimulationOptions
  readonly surface?: Partial<ScriptsOptions>
}

const home = { layout: 'folder', hooksDir: '/hooks' } as const

export async function playScripts(
  hooks: Readonly<Record<string, HookPlay>>,
  scenario: (stage: Stage) => Promise<void>,
  { seed = 1, simulation: world, surface: options = {} }: StageOptions = {},
): Promise<void> {
  const simulation = createSimulation(seed, { maxEvents: 100_000, ...world })
  await simulation.run(async () => {
    const { runtime } = simulation
    const sandbox = createSandbox(runtime, { nodes: 0 })
    await sandbox.ready
    const client = createClient({ transport: sandbox.transport(), runtime })
    const runs: Ran[] = []
    const requests: string[] = []
    const wire = new Wire(sandbox.transport(), requests)
    const own = createClient({ transport: wire, runtime })
    const place = options.place ?? home
    await writeHooks(
      simulation,
      place.layout === 'folder' ? place.hooksDir : `${place.workingDir}/global-hooks`,
      hooks,
      runs,
    )
    const surface = scriptsSurface({ place, tmpDir: '/tmp/hooks', ...options })
    const configMaps = client.of<KubeObject & { data: object }>(resources.configMaps)
    const stage: Stage = {
      ...liveSurface(surface, { client: own, runtime }),
      client,
      runtime,
      simulation,
      runs,
      requests,
      network: wire,
      contextsOf: (hook) =>
        runs.filter((run) => run.hook === hook).map(({ contexts }) => contexts.map(inShort).join(', ')),
      sleep: (seconds) => runtime.clock.sleep(seconds * 1000),
      async configMap(name, data, namespace = 'default') {
        await configMaps.create({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace, labels: { app: 'test' } },
          data,
        })
      },
      async change(name, data, namespace = 'default') {
        await configMaps.patch(name, { type: 'merge', value: { data } }, { namespace })
      },
      async remove(name, namespace = 'default') {
        await configMaps.delete(name, { namespace })
      },
      async namespace(name, labels = {}) {
        const namespaces = client.of(resources.namespaces)
        const found = await namespaces.get(name).catch(() => undefined)
        const metadata = { name, labels: labels as Record<string, string> }
        if (found === undefined) await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata })
        else await namespaces.patch(name, { type: 'merge', value: { metadata: { labels } } })
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

class Wire implements Network, Transport {
  answer: Network['answer']
  #transport: Transport
  readonly #requests: string[]
  #cut = new AbortController()

  constructor(transport: Transport, requests: string[]) {
    this.#transport = transport
    this.#requests = requests
  }

  cut(): void {
    this.#cut.abort(new ConnectionError('ECONNRESET', 'connection reset'))
  }

  restore(): void {
    this.#cut = new AbortController()
  }

  moveTo(transport: Transport): void {
    this.cut()
    this.#transport = transport
    this.restore()
  }

  send: Transport['send'] = (request) => this.#pass(request, (passed) => this.#transport.send(passed))

  open: Transport['open'] = async (request) => {
    const { signal } = this.#cut
    const answer = await this.#pass(request, (passed) => this.#transport.open(passed))
    return { ...answer, body: breakable(answer.body, signal) }
  }

  close = () => this.#transport.close()

  async #pass<T extends HttpResponse>(request: HttpRequest, pass: (request: HttpRequest) => Promise<T>): Promise<T> {
    this.#requests.push(`${request.method} ${request.target}`)
    if (this.#cut.signal.aborted) throw new ConnectionError('ECONNREFUSED', 'connection refused')
    return (this.answer?.(request) as T | undefined) ?? pass(request)
  }
}

async function* breakable(body: HttpBody, signal: AbortSignal): HttpBody {
  const chunks = body[Symbol.asyncIterator]()
  let stop = () => {}
  const broken = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  broken.catch(() => undefined)
  try {
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), broken])
      if (done === true) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function writeHooks(
  simulation: Simulation,
  folder: string,
  hooks: Readonly<Record<string, HookPlay>>,
  runs: Ran[],
): Promise<void> {
  const { files, clock } = simulation.runtime
  const begun = clock.monotonic()
  await files.makeDirectory(folder)
  for (const [name, play] of Object.entries(hooks)) {
    const path = `${folder}/${name}`
    await files.write(path, '#!/bin/sh\n', { mode: 0o755 })
    simulation.script(path, async (process) => {
      if (process.spec.args?.[0] === '--config') {
        process.print(JSON.stringify(play.config))
        return 0
      }
      const text = await files.readText(process.spec.env['BINDING_CONTEXT_PATH'] ?? '')
      const contexts = JSON.parse(text) as Context[]
      runs.push({ hook: name, at: Math.round(clock.monotonic() - begun) / 1000, contexts })
      return (await play.run?.(process, contexts)) ?? 0
    })
  }
}

/** Formats a context as `pods Added default/a {"ip":1}`. */
function inShort({ binding, type, watchEvent, object, objects, filterResult, snapshots }: Context): string {
  const result = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value))
  const items = (list: typeof objects = []) =>
    `[${list.map((item) => [item.object && nameOf(item.object), result(item.filterResult)].filter(Boolean).join(' ')).join('; ')}]`
  const words = [
    binding,
    watchEvent ?? type,
    object && nameOf(object),
    result(filterResult),
    objects && items(objects),
    ...Object.entries(snapshots ?? {}).map(([name, list]) => `${name}=${items(list)}`),
  ]
  return words.filter((word) => word !== undefined).join(' ')
}

function nameOf({ metadata: { name, namespace } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

/** Matches the ConfigMaps created by `Stage.configMap`. */
export const labelSelector = { matchLabels: { app: 'test' } }

/** A binding to those ConfigMaps. */
export const maps = (more: object = {}) => ({
  name: 'maps',
  kind: 'ConfigMap',
  jqFilter: '.data',
  labelSelector,
  ...more,
})

export const v0 = (config: object, run?: HookPlay['run']): HookPlay => ({
  config,
  ...(run === undefined ? {} : { run }),
})
export const v1 = (more: object, run?: HookPlay['run']): HookPlay => v0({ configVersion: 'v1', ...more }, run)

/** Fails the given number of times. */
export const failing = (times: number, seconds = 0): HookPlay['run'] => {
  let left = times
  return async ({ runtime, printError }) => {
    await runtime.clock.sleep(seconds * 1000)
    if (left-- <= 0) return 0
    printError('no luck\n')
    return 1
  }
}
