/** All queues by name, each created with its first task. */
import { Queue, type QueueOptions } from './queue.ts'
import type { Task } from './task.ts'

export const mainQueue = 'main'

export class Queues<Cause> {
  readonly #options: QueueOptions<Cause>
  readonly #signal: AbortSignal
  readonly #queues = new Map<string, Queue<Cause>>()
  readonly #work: Promise<void>[] = []

  /** No task starts once `signal` has aborted. */
  constructor(options: QueueOptions<Cause>, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
  }

  put(queue: string, task: Task<Cause>): void {
    this.#queueOf(queue).put(task)
  }

  /** Removes the waiting tasks of a hook. */
  drop(hook: string): void {
    for (const queue of this.#queues.values()) queue.drop(hook)
  }

  /** Ends the pause after a failed run of the hook. */
  retryNow(hook: string): void {
    for (const queue of this.#queues.values()) queue.retryNow(hook)
  }

  /** `main` first, then by name. */
  list(): readonly Queue<Cause>[] {
    return [...this.#queues.values()].sort((one, other) => {
      if (one.name === mainQueue || other.name === mainQueue) return one.name === mainQueue ? -1 : 1
      return one.name < other.name ? -1 : 1
    })
  }

  /** Resolves when no task runs. */
  async ended(): Promise<void> {
    await Promise.all(this.#work)
  }

  #queueOf(name: string): Queue<Cause> {
    const known = this.#queues.get(name)
    if (known !== undefined) return known
    const queue = new Queue(name, this.#options)
    this.#queues.set(name, queue)
    this.#work.push(queue.run(this.#signal))
    return queue
  }
}
