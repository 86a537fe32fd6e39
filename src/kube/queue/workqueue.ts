/**
 * The work queue: keys wait in order, each at most once; a key added while it is processed waits until that work ends, so that two workers never
 * process the same key.
 */
import type { Runtime, Timer } from '../../runtime/index.ts'
import { type QueueMetrics, queueMetrics } from './metrics.ts'
import type { WorkQueue } from './queue.ts'
import { RateLimiter, type RateLimits } from './ratelimit.ts'

export interface WorkQueueOptions {
  /** Names the queue in logs and metrics. */
  readonly name: string
  readonly limits?: RateLimits
}

type Work = (key: string, signal: AbortSignal) => Promise<void>

export function createWorkQueue(runtime: Runtime, options: WorkQueueOptions): WorkQueue {
  return new KeyQueue(runtime, options)
}

class KeyQueue implements WorkQueue {
  readonly #clock: Runtime['clock']
  readonly #log: Runtime['log']
  readonly #metrics: QueueMetrics
  readonly #limiter: RateLimiter
  /** Waiting keys with the time they were added. */
  readonly #waiting = new Map<string, number>()
  /** Keys being processed; `again` when they were added meanwhile. */
  readonly #working = new Map<string, { again: boolean; limited: boolean }>()
  readonly #delayed = new Map<string, { readonly at: number; readonly timer: Timer }>()
  #wake: () => void = () => {}
  #running = false

  constructor(runtime: Runtime, { name, limits = {} }: WorkQueueOptions) {
    this.#clock = runtime.clock
    this.#log = runtime.log.with({ queue: name })
    this.#metrics = queueMetrics(runtime.metrics, name)
    this.#limiter = new RateLimiter(limits, () => runtime.clock.monotonic())
  }

  get length(): number {
    return this.#waiting.size
  }

  add(key: string): void {
    const busy = this.#working.get(key)
    if (busy !== undefined) busy.again = true
    else if (!this.#waiting.has(key)) {
      this.#waiting.set(key, this.#clock.monotonic())
      this.#metrics.added()
      this.#metrics.depth(this.#waiting.size)
      this.#wake()
    }
  }

  addAfter(key: string, delay: number): void {
    if (delay <= 0) {
      this.add(key)
      return
    }
    const at = this.#clock.monotonic() + delay
    const earlier = this.#delayed.get(key)
    if (earlier !== undefined && earlier.at <= at) return
    earlier?.timer.cancel()
    const timer = this.#clock.after(delay, () => {
      this.#delayed.delete(key)
      this.add(key)
    })
    this.#delayed.set(key, { at, timer })
  }

  addRateLimited(key: string): void {
    const busy = this.#working.get(key)
    if (busy !== undefined) busy.limited = true
    this.#metrics.retried()
    this.addAfter(key, this.#limiter.next(key))
  }

  forget(key: string): void {
    this.#limiter.forget(key)
  }

  async run(work: Work, until: AbortSignal, concurrency = 1): Promise<void> {
    if (this.#running) throw new Error('the queue is running already')
    this.#running = true
    // A separate signal, because many queues share one and every task may add listeners.
    const signal = AbortSignal.any([until])
    const running = new Set<Promise<void>>()
    const wake = () => this.#wake()
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted) {
        const taken = running.size < concurrency ? this.#take() : undefined
        if (taken === undefined) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
          continue
        }
        const job = this.#process(taken, work, signal).finally(() => {
          running.delete(job)
          this.#wake()
        })
        running.add(job)
      }
    } finally {
      signal.removeEventListener('abort', wake)
    }
    await Promise.all(running)
    this.#clear()
    this.#running = false
  }

  #take(): string | undefined {
    for (const [key, since] of this.#waiting) {
      this.#waiting.delete(key)
      this.#working.set(key, { again: false, limited: false })
      this.#metrics.depth(this.#waiting.size)
      this.#metrics.waited(this.#clock.monotonic() - since)
      return key
    }
    return undefined
  }

  async #process(key: string, work: Work, signal: AbortSignal): Promise<void> {
    const begun = this.#clock.monotonic()
    try {
      await work(key, signal)
      if (this.#working.get(key)?.limited === false) this.#limiter.forget(key)
    } catch (error) {
      if (!signal.aborted) {
        this.addRateLimited(key)
        this.#log.warn('work failed', { key, failures: this.#limiter.failures(key), error })
      }
    }
    this.#metrics.worked(this.#clock.monotonic() - begun)
    const again = this.#working.get(key)?.again
    this.#working.delete(key)
    if (again === true) this.add(key)
  }

  /** Keys left when the queue stops are dropped: the next start lists all objects again. */
  #clear(): void {
    for (const { timer } of this.#delayed.values()) timer.cancel()
    this.#delayed.clear()
    this.#waiting.clear()
    this.#metrics.depth(0)
  }
}
