/**
 * An engine that pretends: containers start, turn ready and end by the clock alone.
 */
import type { Clock, Timer } from '../../../runtime/clock.ts'
import type { Pod } from '../../kinds/pod.ts'
import type { Engine, LogQuery, RunningContainer, StartRequest, Tell } from '../engine.ts'
import { LogBook, type LogWriter } from '../logs.ts'
import { type Behaviour, behaviourOf, type Defaults, type Script } from './behaviour.ts'

export interface SimulateOptions extends Partial<Defaults> {
  readonly script?: Script
}

/** Stopping takes a moment, as it always does: controllers see a pod go before it is gone. */
const defaults: Defaults = { startDelay: 0, readyDelay: 0, runFor: 0, stopDelay: 50 }

/** Exit code of a process that was killed by SIGKILL. */
const killed = { exitCode: 137, reason: 'Error' } as const

export class SimulatedEngine implements Engine {
  readonly #clock: Clock
  readonly #defaults: Defaults
  readonly #script: Script | undefined
  readonly #logs: LogBook

  constructor(clock: Clock, options: SimulateOptions = {}) {
    this.#clock = clock
    this.#defaults = { ...defaults, ...options }
    this.#script = options.script
    this.#logs = new LogBook(clock)
  }

  start(request: StartRequest, tell: Tell): RunningContainer {
    const { pod, container, attempt } = request
    const behaviour = behaviourOf(pod, container, attempt, this.#defaults, this.#script)
    const { uid = '' } = pod.metadata
    return new PretendedContainer(this.#clock, behaviour, tell, () =>
      this.#writeLog(uid, container.name, behaviour.log),
    )
  }

  #writeLog(podUid: string, container: string, lines: readonly string[]): LogWriter {
    const log = this.#logs.open(podUid, container)
    for (const line of lines) log.write(new TextEncoder().encode(`${line}\n`))
    return log
  }

  logs(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined {
    return this.#logs.read(podUid, query)
  }

  forget(pod: Pod): Promise<void> {
    this.#logs.forget(pod)
    return Promise.resolve()
  }
}

/** Knows its behaviour and whom to tell, not its pod: there may be ten thousand of these. */
class PretendedContainer implements RunningContainer {
  readonly #clock: Clock
  readonly #behaviour: Behaviour
  readonly #tell: Tell
  readonly #openLog: () => LogWriter
  #timers: Timer[] | undefined
  #log: LogWriter | undefined
  #over = false

  constructor(clock: Clock, behaviour: Behaviour, tell: Tell, openLog: () => LogWriter) {
    this.#clock = clock
    this.#behaviour = behaviour
    this.#tell = tell
    this.#openLog = openLog
    this.#after(behaviour.startDelay, () => this.#begin())
  }

  /** No delay means at once, without a turn of the clock: a thousand pods need no thousand timers. */
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
      this.#tell({ kind: 'refused', reason: 'ErrImagePull', message: 'failed to pull and unpack image: not found' })
      return
    }
    this.#log = this.#openLog()
    this.#tell({ kind: 'started' })
    if (readyDelay !== undefined && (runFor === undefined || readyDelay < runFor)) {
      this.#after(readyDelay, () => {
        this.#tell({ kind: 'ready', ready: true })
        if (unreadyAfter !== undefined) this.#after(unreadyAfter, () => this.#tell({ kind: 'ready', ready: false }))
      })
    }
    // Even a run of no length is seen running first, as with a real process.
    if (runFor !== undefined) this.#later(runFor, () => this.#end({ exitCode }))
  }

  #end(exit: { readonly exitCode: number; readonly reason?: string }): void {
    if (this.#over) return
    this.#over = true
    for (const timer of this.#timers ?? []) timer.cancel()
    this.#log?.close()
    this.#tell({ kind: 'exited', exit })
  }

  stop(grace: number): void {
    const { stopDelay } = this.#behaviour
    if (this.#log === undefined) this.#end(killed)
    else if (stopDelay > grace) this.#after(grace, () => this.#end(killed))
    else this.#after(stopDelay, () => this.#end({ exitCode: 0 }))
  }
}
