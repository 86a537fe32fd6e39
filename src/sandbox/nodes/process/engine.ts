/**
 * An engine that runs the command of a container as a local process with its own environment, a private directory,
 * captured output and a grace period. There are no images: a container without a command is simulated.
 */
import type { Pod } from '../../../kube/kinds/index.ts'
import type { Runtime } from '../../../runtime/index.ts'
import type { ContainerListener, Engine, LogQuery, RunningContainer, StartRequest } from '../engine.ts'
import { ContainerLogs } from '../logs.ts'
import type { Environment } from '../pod/environment.ts'
import { expand } from '../pod/expand.ts'
import { type Prepared, ProcessContainer } from './container.ts'
import { Folders } from './folders.ts'

/** So that a wrong number of replicas does not fill the machine. */
const maxContainers = 256

export class ProcessEngine implements Engine {
  readonly #runtime: Runtime
  readonly #environment: Environment
  readonly #simulated: Engine
  readonly #logs: ContainerLogs
  readonly #folders: Folders
  #running = 0
  /** Settles when the containers of the pod with this uid have ended. */
  readonly #ends = new Map<string, Promise<unknown>>()

  constructor(environment: Environment, runtime: Runtime, simulated: Engine) {
    this.#runtime = runtime
    this.#simulated = simulated
    this.#logs = new ContainerLogs(runtime.clock)
    this.#folders = new Folders(runtime)
    this.#environment = environment
  }

  start(request: StartRequest, listener: ContainerListener): RunningContainer {
    const { pod, container } = request
    if ((container.command ?? []).length === 0) return this.#simulated.start(request, listener)
    const { uid = '' } = pod.metadata
    const process = new ProcessContainer(this.#runtime, listener, () => this.#logs.open(uid, container.name))
    if (this.#running >= maxContainers) {
      process.refuse('CreateContainerError', `the sandbox runs at most ${maxContainers} containers as processes`)
      return process
    }
    this.#running++
    const end = process
      .run(() => this.#prepare(request))
      .finally(() => {
        this.#running--
      })
    const ended = Promise.allSettled([this.#ends.get(uid), end])
    this.#ends.set(
      uid,
      ended.then(() => undefined),
    )
    return process
  }

  logs(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined {
    return this.#logs.read(podUid, query) ?? this.#simulated.logs(podUid, query)
  }

  async removePod(pod: Pod): Promise<void> {
    const { uid = '' } = pod.metadata
    this.#logs.removePod(pod)
    await this.#simulated.removePod(pod)
    await this.#ends.get(uid)
    this.#ends.delete(uid)
    await this.#folders.remove(uid)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#ends.values())
    await this.#folders.removeAll()
  }

  async #prepare(request: StartRequest): Promise<Prepared> {
    const { pod, container } = request
    const home = await this.#folders.of(pod.metadata.uid ?? '')
    const env = {
      HOME: home,
      TMPDIR: home,
      HOSTNAME: pod.spec.hostname ?? pod.metadata.name,
      ...(await this.#environment.of(request)),
    }
    const [command = '', ...args] = [...(container.command ?? []), ...(container.args ?? [])].map((part) =>
      expand(part, env),
    )
    return { command, args, env, cwd: await this.#folders.below(home, container.workingDir ?? '') }
  }
}
