/** What the conformance suite needs to drive an executor: a world in which runs are carried out and ended from outside. */
import type { Run } from '../../run/index.ts'
import type { Executor } from '../executor.ts'

export const printedLine = 'printed by the run'

export interface ExecutorWorld<Action = unknown> {
  /** The executor of the process that runs now. */
  executor(): Executor<Action>
  /** An action that prints `printedLine`, if anything can be printed, and runs until it is ended from outside. */
  action(run: Run): Action
  /** How often the run was started, as seen from outside. */
  starts(run: Run): number
  isUnderWay(run: Run): boolean | Promise<boolean>
  end(run: Run, how: 'success' | 'failure'): Promise<void>
  /** Kills the process and starts another one. */
  restart(): Promise<void>
  /** Lets what is under way happen: caches follow, processes end. */
  settle(): Promise<void>
  /** Someone else deletes what carries the run out. */
  vanish?(run: Run): Promise<void>
  /** Creates an object of someone else under the name of the run's object; returns whether it is still as it was. */
  occupyName?(run: Run): Promise<() => Promise<boolean>>
}
