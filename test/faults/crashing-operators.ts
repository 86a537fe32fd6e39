/**
 * An operator that crashes at chosen moments and is started again. Moments are before and after each run of a hook and each write; a test
 * may add its own.
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

export interface CrashingOperatorsOptions {
  readonly simulation: Simulation
  readonly server: HttpHandler
  /** The numbers of the moments at which the operator crashes, counted from 1 over all operators. */
  readonly crashAt: readonly number[]
  /** Creates the surface of each operator. */
  surface(): StartedSurface
}

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

export class CrashingOperators {
  readonly moments: string[] = []
  crashes = 0
  readonly #options: CrashingOperatorsOptions
  #domain: Domain | undefined
  #ending: (() => Promise<void>) | undefined
  #isOver = false

  constructor(options: CrashingOperatorsOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#isOver) return
    this.#ending = undefined
    const domain = this.#options.simulation.domain('operator')
    this.#domain = domain
    const runtime: Runtime = { ...domain.runtime, processes: this.#withMoments(domain.runtime.processes) }
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

  /** Stops the operator unless it has crashed, and starts no successor. */
  async stop(): Promise<void> {
    this.#isOver = true
    if (this.#domain?.halted === false) await this.#ending?.()
  }

  /** Never resolves if the operator crashes at this moment. */
  async moment(what: string): Promise<void> {
    if (this.#crashes(what)) await new Promise(() => undefined)
  }

  #crashes(what: string): boolean {
    const { simulation, crashAt } = this.#options
    this.moments.push(what)
    if (this.#isOver || !crashAt.includes(this.moments.length)) return false
    this.crashes++
    this.#domain?.halt()
    void simulation.clock.sleep(this.moments.length % 2 === 0 ? 500 : 5000).then(() => this.start())
    return true
  }

  /** Process starts with moments: the operator may crash before it starts a hook and when the hook ends. */
  #withMoments(processes: Processes): Processes {
    return {
      spawn: (spec) => {
        // The simulated helm reports its own moments, because only some of its calls change anything.
        if (spec.args?.[0] === '--config' || spec.command.endsWith('helm')) return processes.spawn(spec)
        this.#crashes('run: before')
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
