/**
 * What carries out one kind of action. Surfaces run hooks through this interface; script hooks, whose queues wait for the end of each run, use the
 * parts of the process and the function executor that carry out one run to its end.
 */
import type { LogLine } from '../logs/index.ts'
import type { Observation } from '../outcome/index.ts'
import type { Run } from '../run/index.ts'

/**
 * What survives the end of this process:
 * - `declared`: an object of the cluster carries the run; a new process observes it as the old one did.
 * - `attended`: this process carries the run. A new process knows nothing of it: `observe` is absent, so that a caller whose own record
 *   says the run was started knows that it is lost, and lets the failure policy or a second start decide.
 * - `awaited`: a person ends the run by a write; nothing runs meanwhile.
 */
export type ExecutorFamily = 'declared' | 'attended' | 'awaited'

/** `refused`: the run failed before it began, and `observe` says why. */
export type Started = 'started' | 'refused'

/**
 * The contract, which the conformance suite checks for every executor:
 *
 * - A run is what `runKey` names. Whatever is asked about another attempt is asked about another run.
 * - `start` resolves when the run is under way. A second start of the same run changes nothing, neither while it runs nor after its end.
 *   It rejects when the start may be tried again. `onChange` is called when there is something new to observe of which no cache tells.
 * - `observe` changes nothing, asks no server, and answers at once.
 * - `cancel` ends the run if it is under way and forgets it: `observe` becomes absent, for an object as soon as the cache shows its deletion.
 *   Without such a run it does nothing.
 * - `logs` gives what the run has printed so far, at most its last part; nothing where nothing is printed or kept.
 * - An object that has the run's name and is not the run's own is never taken for it, changed or deleted: the run fails with `NameTaken`.
 */
export interface Executor<Action> {
  readonly family: ExecutorFamily
  start(run: Run, action: Action, onChange?: () => void): Promise<Started>
  observe(run: Run): Observation
  cancel(run: Run): Promise<void>
  logs(run: Run): AsyncIterable<LogLine>
}
