/**
 * One named queue: one batch at a time, in the order tasks came. Adjacent tasks of one hook may share a run. A failed batch stays first and
 * is retried; a hook that is rate-limited is skipped, and only that hook. The queue does not poll: a new task wakes it.
 */
import { type Clock, smallest, type Timer } from '../../../runtime/index.ts'
import { Backlog, type Supersede, type Waiting } from './backlog.ts'
import type { RunLimits } from './rate-limit.ts'
import { type Retry, retryDelay } from './retry.ts'
import type { Batch, Task } from './task.ts'

const maxBatchTasks = 1000

export type Verdict<Cause> =
  /** `next`: tasks to do before all others in the queue. */
  | { readonly kind: 'done'; readonly next?: readonly Task<Cause>[] }
  | { readonly kind: 'failed' }
  /** The operator stops; the batch was not done. */
  | { readonly kind: 'stopped' }

export interface QueueOptions<Cause> {
  readonly clock: Clock
  readonly limits: RunLimits
  readonly supersede: Supersede<Cause>
  readonly retry: Retry
  /** `signal` aborts when the batch must end early. */
  work(batch: Batch<Cause>, queue: string, signal: AbortSignal): Promise<Verdict<Cause>>
  /** Something in the queue changed. */
  changed(): void
}

export type QueueStatus =
  | { readonly kind: 'empty' }
  | { readonly kind: 'running' }
  | { readonly kind: 'retrying'; readonly delay: number }
  | { readonly kind: 'limited' }

export class Queue<Cause> {
  readonly name: string
  readonly #options: QueueOptions<Cause>
  readonly #backlogs = new Map<string, Backlog<Cause>>()
  #batch: Batch<Cause> | undefined
  #retryDelay: number | undefined
  #endPause: () => void = () => {}
  #last = 0
  #first = 0
  #wake: () => void = () => {}

  constructor(name: string, options: QueueOptions<Cause>) {
    this.name = name
    this.#options = options
  }

  /** Tasks that wait or run. */
  get length(): number {
    let waiting = this.#batch?.tasks.length ?? 0
    for (const backlog of this.#backlogs.values()) waiting += backlog.length
    return waiting
  }

  get status(): QueueStatus {
    if (this.#retryDelay !== undefined) return { kind: 'retrying', delay: this.#retryDelay }
    if (this.#batch !== undefined) return { kind: 'running' }
    return { kind: this.#backlogs.size === 0 ? 'empty' : 'limited' }
  }

  put(task: Task<Cause>): void {
    this.#backlogOf(task.hook).push(task, ++this.#last, this.#options.clock.monotonic())
    this.#options.changed()
    this.#wake()
  }

  /** In front of all waiting tasks, in the order given. */
  putFirst(tasks: readonly Task<Cause>[]): void {
    const now = this.#options.clock.monotonic()
    for (const task of tasks.toReversed()) this.#backlogOf(task.hook).unshift(task, --this.#first, now)
    this.#options.changed()
    this.#wake()
  }

  /** Removes the waiting tasks of a hook; a running task goes on. */
  drop(hook: string): void {
    if (this.#backlogs.delete(hook)) this.#options.changed()
  }

  /** Ends the pause after a failed run of the hook. */
  retryNow(hook: string): void {
    if (this.#batch?.first.hook === hook) this.#endPause()
  }

  /** The running and the waiting tasks, in order, with the failures so far. */
  *tasks(): Iterable<{ readonly task: Task<Cause>; readonly failures: number }> {
    for (const task of this.#batch?.tasks ?? []) yield { task, failures: this.#batch?.failures ?? 0 }
    const waiting = [...this.#backlogs.values()].flatMap((backlog) => [...backlog])
    for (const { task } of waiting.sort((one, other) => one.position - other.position)) yield { task, failures: 0 }
  }

  /** Works until the signal aborts; resolves when no task runs. */
  async run(until: AbortSignal): Promise<void> {
    // A signal of its own: dozens of queues would add their listeners to the shared one.
    const signal = AbortSignal.any([until])
    while (!signal.aborted) {
      const batch = this.#take()
      if (batch === undefined) await this.#untilWoken(signal)
      else await this.#carryOut(batch, signal)
    }
  }

  async #carryOut(batch: Batch<Cause>, signal: AbortSignal): Promise<void> {
    this.#batch = batch
    while (!signal.aborted) {
      this.#options.changed()
      if (batch.first.type === 'HookRun') this.#options.limits.take(batch.first.hook)
      const verdict = await this.#options.work(batch, this.name, signal)
      if (verdict.kind === 'stopped') return
      if (verdict.kind === 'done') {
        this.#batch = undefined
        this.putFirst(verdict.next ?? [])
        return
      }
      batch.failures++
      await this.#pause(batch, signal)
    }
  }

  /** Nothing overtakes a failed batch. */
  async #pause({ first, failures }: Batch<Cause>, signal: AbortSignal): Promise<void> {
    const { clock, limits, retry } = this.#options
    const delay = Math.max(retryDelay(first, retry, failures), limits.delay(first.hook))
    this.#retryDelay = delay
    this.#options.changed()
    const ending = new AbortController()
    this.#endPause = () => ending.abort()
    await clock.sleep(delay, AbortSignal.any([signal, ending.signal])).catch(() => undefined)
    this.#endPause = () => {}
    this.#retryDelay = undefined
  }

  /** The first task whose hook may run, with those after it that may share its run. */
  #take(): Batch<Cause> | undefined {
    const mayRun = (hook: string) => this.#delayOf(hook) === 0
    const backlog = this.#earliest(mayRun)
    const head = backlog?.shift()
    if (backlog === undefined || head === undefined) return undefined
    const tasks = [head.task]
    if (head.task.isMergeable) {
      const { hook } = head.task
      const others =
        this.#earliest((other) => other !== hook && mayRun(other))?.first?.position ?? Number.POSITIVE_INFINITY
      for (let next = backlog.first; tasks.length < maxBatchTasks && isNeighbour(next, others); next = backlog.first) {
        tasks.push(next.task)
        backlog.shift()
      }
    }
    if (backlog.length === 0) this.#backlogs.delete(head.task.hook)
    return { first: head.task, tasks, failures: 0, queuedAt: head.queuedAt }
  }

  #earliest(mayTake: (hook: string) => boolean): Backlog<Cause> | undefined {
    let found: Backlog<Cause> | undefined
    for (const [hook, backlog] of this.#backlogs) {
      const position = backlog.first?.position ?? Number.POSITIVE_INFINITY
      const isEarlier = position < (found?.first?.position ?? Number.POSITIVE_INFINITY)
      if (isEarlier && mayTake(hook)) found = backlog
    }
    return found
  }

  /** Only runs are rate-limited, not the other tasks of a hook. */
  #delayOf(hook: string): number {
    return this.#backlogs.get(hook)?.first?.task.type === 'HookRun' ? this.#options.limits.delay(hook) : 0
  }

  /** Until a task comes, or a rate-limited hook may run. */
  #untilWoken(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const delays = Array.from(this.#backlogs.keys(), (hook) => this.#delayOf(hook))
    return new Promise((resolve) => {
      let timer: Timer | undefined
      const wake = () => {
        this.#wake = () => {}
        timer?.cancel()
        signal.removeEventListener('abort', wake)
        resolve()
      }
      if (delays.length > 0) timer = clock.after(smallest(delays), wake)
      signal.addEventListener('abort', wake, { once: true })
      this.#wake = wake
    })
  }

  #backlogOf(hook: string): Backlog<Cause> {
    const known = this.#backlogs.get(hook)
    if (known !== undefined) return known
    const backlog = new Backlog(this.#options.supersede)
    this.#backlogs.set(hook, backlog)
    return backlog
  }
}

function isNeighbour<Cause>(next: Waiting<Cause> | undefined, others: number): next is Waiting<Cause> {
  return next?.task.isMergeable === true && next.position < others
}
