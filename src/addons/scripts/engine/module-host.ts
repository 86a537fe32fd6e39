/**
 * The interface between the engine and a host of more hooks than those present at startup. A module host adds and removes hooks at run
 * time, provides the values of all hooks, and puts its own jobs into the queues.
 */
import type { Cause } from '../contexts/cause.ts'
import type { ExtraRoutes } from '../debug/routes.ts'
import type { Hook, HookFile } from '../hook.ts'
import type { RunRequest, RunResult } from '../run/types.ts'
import type { QueueJob, RunOutcome } from './queue-job.ts'
import type { RunReason } from './runs.ts'

export interface ModuleHost {
  /** Hooks that are loaded at startup and run only after `EngineControl.add`. */
  readonly files: readonly HookFile[]
  /** The values of a hook. */
  valuesFor(hook: Hook): NonNullable<RunRequest['values']>
  /** Applies the values patches of a run; an error fails the run. */
  applyValuesPatches(hook: Hook, patches: RunResult['valuesPatches'], why: RunReason): Promise<void>
  /** Called after the startup jobs are in the queue, with the hooks present at startup and the host's own. */
  start(engine: EngineControl, hooks: readonly Hook[]): { readonly ready: Promise<void> }
  /** Additional routes of the debug socket. */
  readonly debug: ExtraRoutes
}

/** The functions of the engine for a module host. */
export interface EngineControl {
  /** Adds hooks and starts the lists of their watches, without running the hooks. */
  add(hooks: readonly Hook[]): void
  /** Removes hooks with their watches, schedules and queued tasks. */
  remove(hooks: readonly Hook[]): void
  /** Resolves when all watches of the hook have their first list, or it failed. */
  settled(hook: Hook): Promise<void>
  /**
   * Enables the kubernetes bindings and returns the causes of their Synchronization runs. May be called again after such a run has failed.
   */
  enable(hook: Hook): Promise<readonly Cause[]>
  schedule(hook: Hook): void
  /** Runs a hook as part of a job. */
  run(hook: Hook, cause: Cause, signal: AbortSignal): Promise<RunOutcome>
  /** Puts a job at the end of the queue `main`. */
  put(job: QueueJob): void
}
