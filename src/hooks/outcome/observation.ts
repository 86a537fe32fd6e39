/** What is known about a run without changing anything. */
import type { Instant } from '../../runtime/index.ts'
import type { FailureReason } from './reason.ts'

export type Observation =
  /** The executor knows nothing of the run: it was never started, or ended with the process that attended it. */
  | { readonly state: 'absent' }
  | {
      readonly state: 'running'
      readonly since: Instant
      /** When the state changes by itself, without a change of any object. */
      readonly until?: Instant
      readonly object?: ObjectReference
    }
  | {
      readonly state: 'succeeded'
      readonly at: Instant
      /** For people, where no log says it. */
      readonly message?: string
      /** What the run returned: the value of a function, the body of an HTTP response that was asked for. */
      readonly result?: unknown
      readonly object?: ObjectReference
    }
  | {
      readonly state: 'failed'
      readonly at: Instant
      readonly reason: FailureReason
      /** The word Kubernetes uses, such as `BackoffLimitExceeded` or `OOMKilled`. */
      readonly kubernetesReason?: string
      readonly message: string
      readonly object?: ObjectReference
    }
  /** It was started and its outcome will never be known: its object was deleted by someone else. */
  | {
      readonly state: 'lost'
      readonly object: ObjectReference
      /** Why, when it was a pod that Kubernetes had to take away, for the drain of its node for example. */
      readonly disruption?: string
    }

export interface ObjectReference {
  readonly kind: string
  readonly name: string
  readonly uid: string
}
