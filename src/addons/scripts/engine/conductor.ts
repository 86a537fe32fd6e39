/**
 * The seam for whoever conducts more hooks than those of the start: it brings them in and takes them away while others run, gives all of them
 * their values, and has errands of its own in the queues. What it does all this for is not known here.
 */
import type { Cause } from '../contexts/cause.ts'
import type { MoreRoutes } from '../debug/routes.ts'
import type { Hook, HookFile } from '../hook.ts'
import type { RunRequest, RunResult } from '../run/types.ts'
import type { Errand, RunOutcome } from './errand.ts'
import type { RunReason } from './runs.ts'

export interface Conductor {
  /** Hooks that are asked for their configuration at the start and do nothing before they are brought in. */
  readonly files: readonly HookFile[]
  /** What the hook finds in its values files. */
  valuesFor(hook: Hook): NonNullable<RunRequest['values']>
  /** Takes the values patches that a run left; throws what is wrong with them, and then the run has failed. */
  keep(hook: Hook, patches: RunResult['valuesPatches'], why: RunReason): Promise<void>
  /** Begins, after the errands of the start are in the queue. `hooks`: those of the start, and its own. */
  start(engine: Conducted, hooks: readonly Hook[]): { readonly ready: Promise<void> }
  /** Answers at the debug socket for what the engine does not know. */
  readonly debug: MoreRoutes
}

/** What a conductor can do with the engine. */
export interface Conducted {
  /** Makes their watches list; nothing is told to them yet. */
  add(hooks: readonly Hook[]): void
  /** Ends their watches and schedules, and forgets what waits for them. */
  remove(hooks: readonly Hook[]): void
  /** Resolves when all the hook sees has been listed, or cannot be. */
  settled(hook: Hook): Promise<void>
  /** Lets the hook hear of its watches; the causes of runs that tell it what there is. May be called again after such a run has failed. */
  enable(hook: Hook): Promise<readonly Cause[]>
  schedule(hook: Hook): void
  /** Runs a hook as part of an errand. */
  run(hook: Hook, cause: Cause, signal: AbortSignal): Promise<RunOutcome>
  /** At the end of the queue `main`. */
  put(errand: Errand): void
}
