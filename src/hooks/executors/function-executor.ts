/**
 * Hooks that are functions of a module, called in a worker thread. A thread serves one run at a time and is kept for the next one; one
 * whose run was broken off is terminated, because the function may still be running in it.
 */
import { append, type ModuleWorker, type Runtime, WorkerFailure, type WorkerSpec } from '../../runtime/index.ts'
import type { FunctionAction } from '../action/index.ts'
import { eachLine } from '../logs/index.ts'
import type { Run } from '../run/index.ts'
import { type Attendance, type AttendedEnd, AttendedExecutor } from './attended.ts'
import { killGraceMs, type OutputStream } from './process.ts'

export interface FunctionCall extends WorkerSpec {
  readonly member: string
  readonly argument?: unknown
  /** Milliseconds until the function's signal aborts. @default none */
  readonly timeout?: number
  readonly signal?: AbortSignal
  readonly line: (stream: OutputStream, text: string) => void
}

export type FunctionOutcome =
  | { readonly ended: 'value'; readonly value: unknown; readonly duration: number }
  /** The function threw, or its thread ended. */
  | { readonly ended: 'failed'; readonly message: string; readonly duration: number }
  | { readonly ended: 'timeout' | 'stopped'; readonly duration: number }

/** Threads kept for the next run; each takes some ten megabytes. */
const maxIdleThreads = 8

interface Thread {
  /** Threads are numbered as they start. */
  readonly number: number
  readonly module: string
  readonly worker: ModuleWorker
  line: FunctionCall['line']
}

export class FunctionExecutor extends AttendedExecutor<FunctionAction> {
  readonly #runtime: Pick<Runtime, 'clock' | 'workers'>
  /** Least recently used first. */
  #idle: Thread[] = []
  /** By module: the first thread with its current code. */
  readonly #current = new Map<string, number>()
  #started = 0

  /** Calls under way end with `stop`. */
  constructor(runtime: Pick<Runtime, 'clock' | 'workers'>, stop: AbortSignal = new AbortController().signal) {
    super(runtime.clock, stop)
    this.#runtime = runtime
  }

  protected override async attend(
    _run: Run,
    { onLine, ...action }: FunctionAction,
    { signal, print }: Attendance,
  ): Promise<AttendedEnd> {
    const line = (source: OutputStream, text: string) => {
      print({ source, text })
      onLine?.({ source, text })
    }
    const outcome = await this.call({ ...action, signal, line })
    switch (outcome.ended) {
      case 'value':
        return { state: 'succeeded', result: outcome.value }
      case 'failed':
        return { state: 'failed', reason: 'Failed', message: outcome.message }
      case 'timeout': {
        const message = `was ended because it took longer than ${action.timeout} ms`
        return { state: 'failed', reason: 'Timeout', message }
      }
      case 'stopped':
        return { state: 'failed', reason: 'Stopped', message: 'was ended because the operator stops' }
    }
  }

  async call(call: FunctionCall): Promise<FunctionOutcome> {
    const { clock } = this.#runtime
    const start = clock.monotonic()
    const thread = this.#take(call)
    const ending = new AbortController()
    let endedBy: 'timeout' | 'stopped' | undefined
    const breakOff = (why: 'timeout' | 'stopped'): void => {
      if (endedBy !== undefined) return
      endedBy = why
      ending.abort()
      last = clock.after(killGraceMs, () => void thread.worker.terminate())
    }
    let last: ReturnType<typeof clock.after> | undefined
    const limit = call.timeout === undefined ? undefined : clock.after(call.timeout, () => breakOff('timeout'))
    const stop = (): void => breakOff('stopped')
    if (call.signal?.aborted) stop()
    else call.signal?.addEventListener('abort', stop, { once: true })
    let failure: WorkerFailure | undefined
    let value: unknown
    try {
      value = await thread.worker.call(call.member, call.argument, ending.signal)
    } catch (error) {
      if (!(error instanceof WorkerFailure)) throw error
      failure = error
    } finally {
      limit?.cancel()
      last?.cancel()
      call.signal?.removeEventListener('abort', stop)
    }
    if (endedBy !== undefined || failure?.kind === 'ended') void thread.worker.terminate()
    else this.#keep(thread)
    const duration = clock.monotonic() - start
    if (endedBy !== undefined) return { ended: endedBy, duration }
    return failure === undefined
      ? { ended: 'value', value, duration }
      : { ended: 'failed', message: failure.message, duration }
  }

  /**
   * A call in a thread that reads the module again. If it returns a value, all further calls have the new code; otherwise the threads with
   * the old code stay.
   */
  async reload(call: FunctionCall): Promise<FunctionOutcome> {
    const old = this.#takeIdle(({ module }) => module === call.module)
    const first = this.#started + 1
    const outcome = await this.call(call)
    const isGood = outcome.ended === 'value'
    if (isGood) this.#current.set(call.module, first)
    const outdated = isGood ? old : this.#takeIdle(({ module, number }) => module === call.module && number >= first)
    if (!isGood) append(this.#idle, old)
    for (const { worker } of outdated) void worker.terminate()
    return outcome
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(({ worker }) => worker.terminate()))
  }

  #takeIdle(isMeant: (thread: Thread) => boolean): readonly Thread[] {
    const taken = this.#idle.filter(isMeant)
    this.#idle = this.#idle.filter((thread) => !isMeant(thread))
    return taken
  }

  #take({ module, env, line }: FunctionCall): Thread {
    const index = this.#idle.findLastIndex((idle) => idle.module === module)
    const [idle] = index === -1 ? [] : this.#idle.splice(index, 1)
    if (idle !== undefined) {
      idle.line = line
      return idle
    }
    const worker = this.#runtime.workers.start({ module, env })
    const thread: Thread = { number: ++this.#started, module, worker, line }
    for (const stream of ['stdout', 'stderr'] as const)
      void eachLine(worker[stream], (text) => thread.line(stream, text))
    return thread
  }

  #keep(thread: Thread): void {
    if (thread.number < (this.#current.get(thread.module) ?? 0)) {
      void thread.worker.terminate()
      return
    }
    this.#idle.push(thread)
    if (this.#idle.length > maxIdleThreads) void this.#idle.shift()?.worker.terminate()
  }
}
