/** An engine that simulates containers: they start, become ready and exit by the clock alone. */

import type { Container, Pod } from '../../../kube/kinds/index.ts'
import type { Clock, Timer } from '../../../runtime/index.ts'
import type { ContainerListener, Engine, LogQuery, RunningContainer, StartRequest } from '../engine.ts'
import { ContainerLogs, type LogWriter } from '../logs.ts'
import { type Behaviour, behaviourOf, type Defaults, type Script } from './behaviour.ts'

export interface SimulateOptions extends Partial<Defaults> {
  readonly script?: Script
}

/** Stopping takes a moment, as with real containers, so that controllers see terminating pods. */
const defaults: Defaults = { startDelay: 0, readyDelay: 0, runFor: 0, stopDelay: 50 }

/** First line of the log, unless the pod defines its log: what is simulated must not be taken for the real thing. */
function notice({ command = [] }: Container): string {
  return command.length === 0
    ? 'sandbox: this container is simulated: it has no command, and images are not pulled. With a command and --node-mode process it runs on this machine.'
    : 'sandbox: this container is simulated: its command does not run. With --node-mode process it runs on this machine.'
}

/** The exit of a process killed by SIGKILL. */
const killed = { exitCode: 137, reason: 'Error' } as const

export class SimulatedEngine implements Engine {
  readonly #clock: Clock
  readonly #defaults: Defaults
  readonly #script: Script | undefined
  readonly #logs: ContainerLogs

  constructor(clock: Clock, options: SimulateOptions = {}) {
    this.#clock = clock
    this.#defaults = { ...defaults, ...options }
    this.#script = options.script
    this.#logs = new ContainerLogs(clock)
  }

  start(request: StartRequest, listener: ContainerListener): RunningContainer {
    const { pod, container, attempt } = request
    const behaviour = behaviourOf(pod, container, attempt, this.#defaults, this.#script)
    const { uid = '' } = pod.metadata
    const { name } = container
    const lines = behaviour.log.length === 0 ? [notice(container)] : behaviour.log
    return new SimulatedContainer(this.#clock, behaviour, listener, () => this.#writeLog(uid, name, lines))
  }

  #writeLog(podUid: string, container: string, lines: readonly string[]): LogWriter {
    const log = this.#logs.open(podUid, container)
    for (const line of lines) log.write(new TextEncoder().encode(`${line}\n`))
    return log
  }

  logs(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined {
    return this.#logs.read(podUid, query)
  }

  removePod(pod: Pod): Promise<void> {
    this.#logs.removePod(pod)
    return Promise.resolve()
  }

  stop(): Promise<void> {
    return Promise.resolve()
  }
}

/** Holds no reference to the pod, because there can be ten thousand of these. */
class SimulatedContainer implements RunningContainer {
  readonly #clock: Clock
  readonly #behaviour: Behaviour
  readonly #listener: ContainerListener
  readonly #openLog: () => LogWriter
  #timers: Timer[] | undefined
  #log: LogWriter | undefined
  #hasExited = false

  constructor(clock: Clock, behaviour: Behaviour, listener: ContainerListener, openLog: () => LogWriter) {
    this.#clock = clock
    this.#behaviour = behaviour
    this.#listener = listener
    this.#openLog = openLog
    this.#after(behaviour.startDelay, () => this.#begin())
  }

  /** Runs immediately without delay, so that a thousand pods do not need a thousand timers. */
  #after(delay: number, fire: () => void): void {
    if (delay <= 0) fire()
    else this.#later(delay, fire)
  }

  #later(delay: number, fire: () => void): void {
    this.#timers ??= []
    this.#timers.push(this.#clock.after(delay, fire))
  }

  #begin(): void {
    const { imageMissing, readyDelay, unreadyAfter, runFor, exitCode } = this.#behaviour
    if (imageMissing) {
      this.#listener({
        kind: 'startFailed',
        reason: 'ErrImagePull',
        message: 'failed to pull and unpack image: not found',
      })
      return
    }
    this.#log = this.#openLog()
    this.#listener({ kind: 'started' })
    if (readyDelay !== undefined && (runFor === undefined || readyDelay < runFor)) {
      this.#after(readyDelay, () => {
        this.#listener({ kind: 'ready', ready: true })
        if (unreadyAfter !== undefined) this.#after(unreadyAfter, () => this.#listener({ kind: 'ready', ready: false }))
      })
    }
    // Even a container with run time 0 is reported running first, as with a real process.
    if (runFor !== undefined) this.#later(runFor, () => this.#end({ exitCode }))
  }

  #end(exit: { readonly exitCode: number; readonly reason?: string }): void {
    if (this.#hasExited) return
    this.#hasExited = true
    for (const timer of this.#timers ?? []) timer.cancel()
    this.#log?.close()
    this.#listener({ kind: 'exited', exit })
  }

  stop(grace: number): void {
    const { stopDelay } = this.#behaviour
    if (this.#log === undefined) this.#end(killed)
    else if (stopDelay > grace) this.#after(grace, () => this.#end(killed))
    else this.#after(stopDelay, () => this.#end({ exitCode: 0 }))
  }
}
