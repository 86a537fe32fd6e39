/**
 * An engine that runs the command of a container as a local process with its own environment, a private directory,
 * captured output and a grace period. There are no images: a container without a command is simulated.
 */
import type { KubeClient } from '../../../kube/index.ts'
import type { Pod } from '../../../kube/kinds/index.ts'
import type { RunningProcess, Runtime } from '../../../runtime/index.ts'
import type { ContainerListener, Engine, Exit, LogQuery, RunningContainer, StartRequest } from '../engine.ts'
import { ContainerLogs, type LogWriter } from '../logs.ts'
import { Environment, MissingReference } from './environment.ts'
import { expand } from './expand.ts'

const signals: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
}

function exitOf({ code, signal }: { readonly code: number | undefined; readonly signal: string | undefined }): Exit {
  if (code !== undefined) return { exitCode: code }
  return { exitCode: 128 + (signals[signal ?? ''] ?? 0) }
}

export class ProcessEngine implements Engine {
  readonly #runtime: Runtime
  readonly #environment: Environment
  readonly #simulated: Engine
  readonly #logs: ContainerLogs
  readonly #directories = new Map<string, Promise<string>>()

  constructor(client: KubeClient, runtime: Runtime, simulated: Engine) {
    this.#runtime = runtime
    this.#simulated = simulated
    this.#logs = new ContainerLogs(runtime.clock)
    const { PATH = '/usr/local/bin:/usr/bin:/bin' } = runtime.env as Record<string, string | undefined>
    this.#environment = new Environment(client, { PATH })
  }

  start(request: StartRequest, listener: ContainerListener): RunningContainer {
    const { command = [] } = request.container
    if (command.length === 0) return this.#simulated.start(request, listener)
    const container = new ProcessContainer(this.#runtime, listener, () =>
      this.#logs.open(request.pod.metadata.uid ?? '', request.container.name),
    )
    void container.run(() => this.#prepare(request))
    return container
  }

  logs(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined {
    return this.#logs.read(podUid, query) ?? this.#simulated.logs(podUid, query)
  }

  async removePod(pod: Pod): Promise<void> {
    this.#logs.removePod(pod)
    await this.#simulated.removePod(pod)
    const uid = pod.metadata.uid ?? ''
    const directory = this.#directories.get(uid)
    this.#directories.delete(uid)
    if (directory !== undefined) await this.#runtime.files.remove(await directory)
  }

  async #prepare(request: StartRequest): Promise<Prepared> {
    const { pod, container } = request
    const uid = pod.metadata.uid ?? ''
    const directory = this.#directories.get(uid) ?? this.#runtime.files.makeTemporary(`carabiner-${pod.metadata.name}-`)
    this.#directories.set(uid, directory)
    const home = await directory
    const env = {
      HOME: home,
      TMPDIR: home,
      HOSTNAME: pod.spec.hostname ?? pod.metadata.name,
      ...(await this.#environment.of(request)),
    }
    const [command = '', ...args] = [...(container.command ?? []), ...(container.args ?? [])].map((part) =>
      expand(part, env),
    )
    return { command, args, env, cwd: home }
  }
}

interface Prepared {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

class ProcessContainer implements RunningContainer {
  readonly #runtime: Runtime
  readonly #listener: ContainerListener
  readonly #openLog: () => LogWriter
  #process: RunningProcess | undefined
  #stopped = false
  #over = false

  constructor(runtime: Runtime, listener: ContainerListener, openLog: () => LogWriter) {
    this.#runtime = runtime
    this.#listener = listener
    this.#openLog = openLog
  }

  async run(prepare: () => Promise<Prepared>): Promise<void> {
    let prepared: Prepared
    try {
      prepared = await prepare()
    } catch (error) {
      if (this.#stopped) this.#end({ exitCode: 137 })
      else this.#failStart(error)
      return
    }
    if (this.#stopped) {
      this.#end({ exitCode: 137 })
      return
    }
    const log = this.#openLog()
    try {
      const running = this.#runtime.processes.spawn(prepared)
      this.#process = running
      this.#listener({ kind: 'started' })
      this.#listener({ kind: 'ready', ready: true })
      await Promise.all([copy(running.stdout, log), copy(running.stderr, log)])
      this.#end(exitOf(await running.exit))
    } catch (error) {
      if (this.#process === undefined) this.#listener({ kind: 'started' })
      const message = error instanceof Error ? error.message : String(error)
      this.#end({ exitCode: 128, reason: 'StartError', message: `failed to start container: ${message}` })
    } finally {
      log.close()
    }
  }

  stop(grace: number): void {
    this.#stopped = true
    const running = this.#process
    if (running === undefined || this.#over) return
    if (grace > 0) {
      running.kill('SIGTERM')
      const timer = this.#runtime.clock.after(grace, () => running.kill('SIGKILL'))
      running.exit.then(
        () => timer.cancel(),
        () => timer.cancel(),
      )
    } else running.kill('SIGKILL')
  }

  #failStart(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    const reason = error instanceof MissingReference ? 'CreateContainerConfigError' : 'CreateContainerError'
    this.#over = true
    this.#listener({ kind: 'startFailed', reason, message })
  }

  #end(exit: Exit): void {
    if (this.#over) return
    this.#over = true
    this.#listener({ kind: 'exited', exit })
  }
}

async function copy(from: AsyncIterable<Uint8Array>, to: LogWriter): Promise<void> {
  for await (const bytes of from) to.write(bytes)
}
