/**
 * An engine that pretends: containers start, turn ready and end by the clock alone.
 */
import type { Clock, Timer } from '../../../runtime/clock.ts'
import type { Pod } from '../../kinds/pod.ts'
import type { Engine, LogQuery, RunningContainer, StartRequest } from '../engine.ts'
import { LogBook } from '../logs.ts'
import { type Behaviour, behaviourOf, type Defaults, type Script } from './behaviour.ts'

export interface SimulateOptions extends Partial<Defaults> {
  readonly script?: Script
}

const defaults: Defaults = { startDelay: 0, readyDelay: 0, runFor: 0 }

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

  start(request: StartRequest): RunningContainer {
    const { pod, container, attempt } = request
    const behaviour = behaviourOf(pod, container, attempt, this.#defaults, this.#script)
    return new PretendedContainer(this.#clock, behaviour, request, () => {
      const stream = this.#logs.open(pod.metadata.uid ?? '', container.name)
      for (const line of behaviour.log) stream.write(new TextEncoder().encode(`${line}\n`))
      return () => stream.close()
    })
  }

  logs(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined {
    return this.#logs.read(podUid, query)
  }

  forget(pod: Pod): Promise<void> {
    this.#logs.forget(pod)
    return Promise.resolve()
  }
}

class PretendedContainer implements RunningContainer {
  readonly #clock: Clock
  readonly #behaviour: Behaviour
  readonly #request: StartRequest
  readonly #openLog: () => () => void
  #timers: Timer[] = []
  #closeLog: (() => void) | undefined
  #over = false

  constructor(clock: Clock, behaviour: Behaviour, request: StartRequest, openLog: () => () => void) {
    this.#clock = clock
    this.#behaviour = behaviour
    this.#request = request
    this.#openLog = openLog
    this.#after(behaviour.startDelay, () => this.#begin())
  }

  /** No delay means at once, without a turn of the clock: a thousand pods need no thousand timers. */
  #after(delay: number, fire: () => void): void {
    if (delay <= 0) fire()
    else this.#timers.push(this.#clock.after(delay, fire))
  }

  #begin(): void {
    const { imageMissing, readyDelay, unreadyAfter, runFor, exitCode } = this.#behaviour
    if (imageMissing) {
      const image = this.#request.container.image ?? ''
      this.#request.onRefused('ErrImagePull', `failed to pull and unpack image "${image}": not found`)
      return
    }
    this.#closeLog = this.#openLog()
    this.#request.onStarted()
    if (readyDelay !== undefined && (runFor === undefined || readyDelay < runFor)) {
      this.#after(readyDelay, () => {
        this.#request.onReady(true)
        if (unreadyAfter !== undefined) this.#after(unreadyAfter, () => this.#request.onReady(false))
      })
    }
    // Even a run of no length is seen running first, as with a real process.
    if (runFor !== undefined) this.#timers.push(this.#clock.after(runFor, () => this.#end({ exitCode })))
  }

  #end(exit: { readonly exitCode: number; readonly reason?: string }): void {
    if (this.#over) return
    this.#over = true
    for (const timer of this.#timers) timer.cancel()
    this.#closeLog?.()
    this.#request.onExit(exit)
  }

  stop(grace: number): void {
    const { stopDelay } = this.#behaviour
    if (this.#closeLog === undefined) this.#end(killed)
    else if (stopDelay > grace) this.#after(grace, () => this.#end(killed))
    else this.#after(stopDelay, () => this.#end({ exitCode: 0 }))
  }
}
