/**
 * The work queue of every controller: a key waits at most once, is worked on by at most one worker, and comes back later when asked.
 */
export interface WorkQueue {
  /** Adds the key unless it waits already; a key being worked on runs once more afterwards. */
  add(key: string): void
  /** Adds the key after `delay` milliseconds; the earliest of several wishes counts. */
  addAfter(key: string, delay: number): void
  /** Adds the key after its back-off, which grows until `forget`. */
  addRateLimited(key: string): void
  forget(key: string): void
  /** Keys waiting now, without those delayed or being worked on. */
  readonly length: number
  /** Calls `work` for key after key, `concurrency` at a time, until `signal` aborts; a rejection is logged and rate-limited. */
  run(
    work: (key: string, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
    concurrency?: number,
  ): Promise<void>
}
