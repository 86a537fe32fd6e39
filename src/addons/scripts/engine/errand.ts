/** Work of modules in the queues of script hooks. */
export type RunOutcome = 'done' | 'failed' | 'stopped'

/** Something to do in a queue; it stays first and is done again until it succeeds. */
export interface Errand {
  /** For listings, as `HookRun`. */
  readonly type: string
  /** A hook or whatever the type is about. */
  readonly name: string
  /** Of an errand that runs a hook. */
  readonly binding?: string
  /** `next`: errands to do before anything else. Whoever returns `failed` has told why. */
  work(signal: AbortSignal): Promise<{ readonly outcome: RunOutcome; readonly next?: readonly Errand[] }>
}
