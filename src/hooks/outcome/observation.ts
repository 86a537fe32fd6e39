/**
 * What can be seen of a run. Runs differ in what survives us: a Job or pod is carried by the cluster and our death changes nothing; an HTTP
 * call ends with us; an approval is a person's write.
 */
import type { Instant } from '../../runtime/clock.ts'

export type Observation =
  /** Not there; `object` when it was there before and somebody took it away. */
  | { readonly state: 'absent'; readonly object?: ObjectReference }
  | {
      readonly state: 'running'
      readonly since: Instant
      /** When it ends by itself although nothing changes. */
      readonly until?: Instant
      readonly object?: ObjectReference
    }
  | {
      readonly state: 'succeeded'
      readonly at: Instant
      /** What came of it, where no object has a log that says so. */
      readonly message?: string
      readonly object?: ObjectReference
    }
  | {
      readonly state: 'failed'
      readonly at: Instant
      readonly reason: string
      readonly message: string
      readonly object?: ObjectReference
    }

export interface ObjectReference {
  readonly kind: string
  readonly name: string
  readonly uid: string
}
