/** Jobs of modules in the queues of script hooks. */
export type RunOutcome = 'done' | 'failed' | 'stopped'

/** A job in a queue; it stays at the head and is retried until it succeeds. */
export interface QueueJob {
  /** For listings, such as `ModuleRun`. */
  readonly type: string
  /** The name of the hook or module. */
  readonly name: string
  /** The binding of a job that runs a hook. */
  readonly binding?: string
  /** `next` are jobs to run before all others. The job itself logs why it failed. */
  work(signal: AbortSignal): Promise<{ readonly outcome: RunOutcome; readonly next?: readonly QueueJob[] }>
}
