/**
 * Hooks that are functions of a module, run in a thread of their own. A thread serves one run at a time and is kept for the next one; one
 * that was broken off is thrown away, because nobody knows what it still does.
 */
import type { Runtime } from '../../runtime/runtime.ts'
import { type ModuleWorker, WorkerFailure, type WorkerSpec } from '../../runtime/workers.ts'
import { eachLine } from '../logs/index.ts'
import { killGrace, type OutputStream } from './process.ts'

export interface FunctionCall extends WorkerSpec {
  readonly member: string
  readonly argument?: unknown
  /** Milliseconds until the function is told to end. @default none */
  readonly timeout?: number
  readonly signal?: AbortSignal
  readonly line: (stream: OutputStream, text: string) => void
}

export type FunctionOutcome =
  | { readonly ended: 'value'; readonly value: unknown; readonly duration: number }
  /** The function threw, or its thread is gone. */
  | { readonly ended: 'failed'; readonly message: string; readonly duration: number }
  | { readonly ended: 'timeout' | 'stopped'; readonly duration: number }

/** Threads kept for the next run; each takes some ten megabytes. */
const mostIdle = 8

interface Thread {
  readonly module: string
  readonly worker: ModuleWorker
  line: FunctionCall['line']
}

export class FunctionExecutor {
  readonly #runtime: Pick<Runtime, 'clock' | 'workers'>
  /** Least recently used first. */
  readonly #idle: Thread[] = []

  constructor(runtime: Pick<Runtime, 'clock' | 'workers'>) {
    this.#runtime = runtime
  }

  async call(call: FunctionCall): Promise<FunctionOutcome> {
    const { clock } = this.#runtime
    const start = clock.monotonic()
    const thread = this.#take(call)
    const ending = new AbortController()
    let broken: 'timeout' | 'stopped' | undefined
    const breakOff = (why: 'timeout' | 'stopped'): void => {
      if (broken !== undefined) return
      broken = why
      ending.abort()
      last = clock.after(killGrace, () => void thread.worker.terminate())
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
    if (broken !== undefined || failure?.kind === 'ended') void thread.worker.terminate()
    else this.#keep(thread)
    const duration = clock.monotonic() - start
    if (broken !== undefined) return { ended: broken, duration }
    return failure === undefined
      ? { ended: 'value', value, duration }
      : { ended: 'failed', message: failure.message, duration }
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(({ worker }) => worker.terminate()))
  }

  #take({ module, env, line }: FunctionCall): Thread {
    const index = this.#idle.findLastIndex((idle) => idle.module === module)
    const [idle] = index === -1 ? [] : this.#idle.splice(index, 1)
    if (idle !== undefined) {
      idle.line = line
      return idle
    }
    const worker = this.#runtime.workers.start({ module, env })
    const thread: Thread = { module, worker, line }
    for (const stream of ['stdout', 'stderr'] as const)
      void eachLine(worker[stream], (text) => thread.line(stream, text))
    return thread
  }

  #keep(thread: Thread): void {
    this.#idle.push(thread)
    if (this.#idle.length > mostIdle) void this.#idle.shift()?.worker.terminate()
  }
}
