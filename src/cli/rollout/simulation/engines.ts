/**
 * The processes that run engines in a simulated world, and what they write. A process can be stopped at a chosen write, as `kill -9` would,
 * and another one takes its place after a while.
 */
import { createClient, handlerTransport, type KubeClient, type KubeObject } from '../../../kube/index.ts'
import { startEngine } from '../../../rollouts/index.ts'
import { append, type HttpHandler, type Runtime } from '../../../runtime/index.ts'
import type { Domain, Simulation } from '../../../runtime/simulated/index.ts'
import { deafnesses, Ears } from './deafness.ts'

/**
 * Something happens before or after the n-th write, counted over all engines from 1: the engine dies and another one starts after a while
 * (`restart`) or was waiting for it (`takeover`); or it lives, but hears nothing for some time.
 */
export interface Crash {
  readonly when: 'before' | 'after'
  readonly write: number
  /** @default restart */
  readonly how?: Fault
}

export const faults = ['restart', 'takeover', ...deafnesses] as const
export type Fault = (typeof faults)[number]

/** Where a world goes on in which an engine has died, or left in peace (`handover`). */
export interface Succession {
  /** How many there were, with the one it died at. */
  readonly writes: number
  /** What hooks had been made of until then. */
  readonly created: readonly string[]
  readonly how: 'restart' | 'takeover' | 'handover'
}

export interface EnginesOptions {
  readonly crashes?: readonly Crash[]
  /** How many run at once. @default 1 */
  readonly engines?: number
  /** The first of them comes after another one. @default there was no engine before */
  readonly after?: Succession
  /** Is told of every write, right before the server has it and right after. */
  readonly onWrite?: (when: Crash['when'], write: number) => void
  /** What differs in the world of an engine, for example who answers its calls. */
  readonly world?: (runtime: Runtime) => Runtime
  /** What runs in each process. @default the engine of rollouts */
  readonly run?: (client: KubeClient, runtime: Runtime, signal: AbortSignal) => Promise<void>
}

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

export class Engines {
  /** Events are not counted. */
  writes = 0
  crashes = 0
  /** Names of the Jobs and pods of hooks, in the order they were created. */
  readonly created: string[] = []
  readonly #simulation: Simulation
  readonly #server: HttpHandler
  readonly #options: EnginesOptions
  readonly #crashes: Crash[]
  readonly #ears: Ears
  readonly #ending = new AbortController()
  /** Processes that were not killed. */
  readonly #living = new Map<Domain, Promise<void>>()

  constructor(simulation: Simulation, server: HttpHandler, options: EnginesOptions = {}) {
    this.#simulation = simulation
    this.#server = server
    this.#options = options
    this.#crashes = [...(options.crashes ?? [])]
    this.#ears = new Ears(simulation.clock)
    const { after, engines = 1 } = options
    if (after === undefined) for (let number = 1; number <= engines; number++) this.#start(`engine ${number}`)
    else this.#goOn(after)
  }

  #goOn({ writes: last, created, how }: Succession): void {
    this.writes = last
    this.crashes = how === 'handover' ? 0 : 1
    append(this.created, created)
    this.#succeed('engine 1', how)
  }

  /** How much they have heard of the cluster. */
  get heard(): number {
    return this.#ears.sounds
  }

  /** One more death, counted from here on. */
  dieAfter(more: number): void {
    this.#crashes.push({ when: 'after', write: this.writes + more })
  }

  /** Resolves when every process has ended that was not killed. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#living.values())
  }

  #start(name: string): void {
    if (this.#ending.signal.aborted) return
    const domain = this.#simulation.domain(name)
    const handler = domain.connect((request) => this.#handle(domain, request))
    const runtime = this.#options.world?.(domain.runtime) ?? domain.runtime
    const client = createClient({ transport: handlerTransport(handler), runtime })
    const run = this.#options.run ?? ((...given) => startEngine(...given).ended)
    this.#living.set(
      domain,
      run(client, runtime, this.#ending.signal).catch(() => undefined),
    )
  }

  async #handle(domain: Domain, request: Parameters<HttpHandler>[0]): ReturnType<HttpHandler> {
    if (/[?&]watch=/.test(request.target))
      return this.#ears.heard(domain.name, request.target, await this.#server(request))
    if (!writes.has(request.method) || request.target.includes('/events')) return this.#server(request)
    this.writes++
    const number = this.writes
    const { onWrite } = this.#options
    const crash = this.#crashes.find(({ write }) => write === number)
    onWrite?.('before', number)
    if (crash?.when === 'before') await this.#disturb(domain, crash)
    const response = await this.#server(request)
    if (request.method === 'POST' && /\/(jobs|pods)\b/.test(request.target) && response.status === 201) {
      this.created.push(nameIn(response.body as Uint8Array))
    }
    onWrite?.('after', number)
    if (crash?.when === 'after') await this.#disturb(domain, crash)
    return response
  }

  /** The dead one never goes on. */
  async #disturb(domain: Domain, { how = 'restart' }: Crash): Promise<void> {
    this.crashes++
    const { name } = domain
    if (how !== 'restart' && how !== 'takeover') return this.#ears.deafen(name, how)
    domain.halt()
    this.#living.delete(domain)
    this.#succeed(name, how)
    await new Promise(() => undefined)
  }

  /** The next engine comes at once, or after a hook had the time to end. */
  #succeed(name: string, how: Succession['how']): void {
    const away = how !== 'restart' ? 0 : this.writes % 2 === 0 ? 1000 : 45_000
    void this.#simulation.clock.sleep(away).then(() => this.#start(name))
  }
}

function nameIn(body: Uint8Array): string {
  return (JSON.parse(new TextDecoder().decode(body)) as KubeObject).metadata.name
}
