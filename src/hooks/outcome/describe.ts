/** A failure in words. */
import type { Observation } from './observation.ts'

type Failure = Pick<Extract<Observation, { state: 'failed' }>, 'reason' | 'kubernetesReason' | 'message'>

/** The word that says most about the failure: that of Kubernetes, if there is one. */
export function reasonWord({ reason, kubernetesReason }: Pick<Failure, 'reason' | 'kubernetesReason'>): string {
  return kubernetesReason ?? reason
}

/** @example BackoffLimitExceeded: Job has reached the specified backoff limit */
export function describeFailure(failure: Failure): string {
  return `${reasonWord(failure)}: ${failure.message}`
}
