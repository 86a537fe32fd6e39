/**
 * The work queue of a controller: a key is in it at most once, and at most one worker processes it.
 */
export interface WorkQueue {
  /** Adds the key unless it is waiting; a key that is being processed is processed once more. */
  add(key: string): void
  /** Adds the key after `delay` milliseconds; the earliest of several requests counts. */
  addAfter(key: string, delay: number): void
  /** Adds the key after its back-off, which grows until `forget`. */
  addRateLimited(key: string): void
  forget(key: string): void
  /** Keys waiting, without those delayed or being processed. */
  readonly length: number
  /** Calls `work` for key after key, `concurrency` at a time, until `signal` aborts; a rejection is logged and rate-limited. */
  run(
    work: (key: string, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
    concurrency?: number,
  ): Promise<void>
}
