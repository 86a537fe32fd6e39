/**
 * One container as a local process. When its own process has ended, its children are killed, as when the first process of a real container
 * ends.
 */
import { CarabinerError, type RunningProcess, type Runtime } from '../../../runtime/index.ts'
import type { ContainerListener, Exit, RunningContainer } from '../engine.ts'
import type { LogWriter } from '../logs.ts'
import { MissingReference } from '../pod/references.ts'

/** After the container's own process has ended and its children were killed, a process that left their group may still hold the output open. */
const lastOutputMs = 1000

const noImages = 'images are not pulled: the program must be installed on this machine'

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

export interface Prepared {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

export class ProcessContainer implements RunningContainer {
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
      else
        this.refuse(
          error instanceof MissingReference ? 'CreateContainerConfigError' : 'CreateContainerError',
          error instanceof Error ? error.message : String(error),
        )
      return
    }
    if (this.#stopped) {
      this.#end({ exitCode: 137 })
      return
    }
    const running = this.#spawn(prepared)
    if (running === undefined) return
    if (running.pid === 0) await this.#failExecution(prepared.command, running)
    else await this.#follow(running)
  }

  #spawn(prepared: Prepared): RunningProcess | undefined {
    try {
      return this.#runtime.processes.spawn({ ...prepared, endsWithParent: true })
    } catch (error) {
      // Too many open files.
      this.refuse('CreateContainerError', String(error))
      return undefined
    }
  }

  /** Opens the log, passes on the output, and ends with the process: its children are killed, as with the process 1 of a container. */
  async #follow(running: RunningProcess): Promise<void> {
    this.#process = running
    const log = this.#openLog()
    this.#listener({ kind: 'started' })
    this.#listener({ kind: 'ready', ready: true })
    const copied = Promise.all([copy(running.stdout, log), copy(running.stderr, log)])
    const exit = exitOf(await running.ended)
    if (running.hasRemainingChildren()) running.kill('SIGKILL')
    const timer = this.#runtime.clock.after(lastOutputMs, () => running.stopReading())
    await copied
    await running.exit
    timer.cancel()
    if (exit.exitCode === 127) log.write(new TextEncoder().encode(`sandbox: a program was not found; ${noImages}\n`))
    log.close()
    this.#end(exit)
  }

  async #failExecution(command: string, running: RunningProcess): Promise<void> {
    const error = await running.exit.catch((reason: unknown) => reason)
    this.#over = true
    const why =
      error instanceof CarabinerError && error.code === 'CRB_PROCESS_NOT_FOUND'
        ? `exec: ${JSON.stringify(command)}: executable file not found in $PATH; ${noImages}`
        : String(error instanceof Error ? error.message : error)
    this.#listener({ kind: 'notExecutable', message: `failed to start container: ${why}` })
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

  /** The container cannot be created now; the kubelet tries again. */
  refuse(reason: string, message: string): void {
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
