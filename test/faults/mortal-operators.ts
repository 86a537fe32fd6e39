/**
 * An operator that dies at chosen moments and is started again, one after the other. Moments are before and after each run of a hook and each
 * write; a world may add its own.
 */
import { createClient, handlerTransport, type KubeClient } from '../../src/kube/index.ts'
import type { HttpHandler, HttpResponse } from '../../src/runtime/http.ts'
import type { Processes } from '../../src/runtime/processes.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import type { Domain, Simulation } from '../../src/runtime/simulated/index.ts'

interface StartedSurface {
  start(context: {
    readonly client: KubeClient
    readonly runtime: Runtime
    readonly signal: AbortSignal
  }): Promise<{ stop(): Promise<void> }>
}

export interface MortalOptions {
  readonly simulation: Simulation
  readonly server: HttpHandler
  /** Numbers of the moments at which it dies, counted from 1 over all operators. */
  readonly deadly: readonly number[]
  /** What each operator runs. */
  surface(): StartedSurface
}

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

export class MortalOperators {
  readonly moments: string[] = []
  deaths = 0
  readonly #options: MortalOptions
  #domain: Domain | undefined
  #ending: (() => Promise<void>) | undefined
  #isOver = false

  constructor(options: MortalOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#isOver) return
    this.#ending = undefined
    const domain = this.#options.simulation.domain('operator')
    this.#domain = domain
    const runtime: Runtime = { ...domain.runtime, processes: this.#watched(domain.runtime.processes) }
    const handler = domain.connect((request) => this.#handle(request))
    const client = createClient({ transport: handlerTransport(handler), runtime })
    const ending = new AbortController()
    void this.#options
      .surface()
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

  /** Does not come back from one that is deadly. */
  async moment(what: string): Promise<void> {
    if (this.#dies(what)) await new Promise(() => undefined)
  }

  #dies(what: string): boolean {
    const { simulation, deadly } = this.#options
    this.moments.push(what)
    if (this.#isOver || !deadly.includes(this.moments.length)) return false
    this.deaths++
    this.#domain?.halt()
    void simulation.clock.sleep(this.moments.length % 2 === 0 ? 500 : 5000).then(() => this.start())
    return true
  }

  /** The operator as the one who starts hooks: it may die when it is about to, and when it learns of the end. */
  #watched(processes: Processes): Processes {
    return {
      spawn: (spec) => {
        // A simulated helm tells of its moments itself, for only some of its calls change anything.
        if (spec.args?.[0] === '--config' || spec.command.endsWith('helm')) return processes.spawn(spec)
        this.#dies('run: before')
        const running = processes.spawn(spec)
        const ended = running.ended.then(async (exit) => {
          await this.moment('run: after')
          return exit
        })
        return { ...running, ended }
      },
      warmUp: () => processes.warmUp(),
      runShort: (...given) => processes.runShort(...given),
    }
  }

  async #handle(request: Parameters<HttpHandler>[0]): Promise<HttpResponse> {
    const isWrite = writes.has(request.method)
    if (isWrite) await this.moment('write: before')
    const response = await this.#options.server(request)
    if (isWrite) await this.moment('write: after')
    return response
  }
}
