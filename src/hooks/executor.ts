/**
 * How a hook's action is carried out. Three families stand behind one interface, because they differ in what survives us: *declared*
 * (a Job, a pod: the cluster carries it, our death changes nothing), *attended* (an HTTP call, a process: ends with us and is then
 * lost), *awaited* (an approval: a person's write).
 */
import type { Instant } from '../runtime/clock.ts'
import type { Run } from './run.ts'

export type Observation =
  /** Never started, as far as can be seen. */
  | { readonly state: 'absent' }
  | { readonly state: 'running'; readonly since: Instant; readonly object?: ObjectReference }
  | { readonly state: 'succeeded'; readonly at: Instant; readonly object?: ObjectReference }
  | {
      readonly state: 'failed'
      readonly at: Instant
      readonly reason: string
      readonly message: string
      readonly object?: ObjectReference
    }
  /** It was started and is gone without an outcome. */
  | { readonly state: 'lost'; readonly reason: string }

export interface ObjectReference {
  readonly kind: string
  readonly name: string
  readonly uid: string
}

export interface Executor<Action> {
  /** A second start of the same run changes nothing. */
  start(run: Run, action: Action): Promise<void>
  /** From caches alone. */
  observe(run: Run): Observation
  /** Ends a run that is under way; one that ended already stays as it is. */
  cancel(run: Run): Promise<void>
  /** Removes what the run left in the cluster. */
  remove(run: Run): Promise<void>
  /** What the run wrote, as far as it can still be had. */
  logs(run: Run): AsyncIterable<string>
}
