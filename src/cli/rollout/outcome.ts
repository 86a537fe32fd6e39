/** How far a policy's rollout has come, in the three answers a script can act on. */
import {
  holdLabel,
  isAbortRequested,
  isRetryRequested,
  type RolloutPolicy,
  templateHash,
  type Workload,
} from '../../rollouts/index.ts'
import type { Outcome } from '../outcome.ts'

/** The workload tells of a new template, and annotations of what people want, before the engine has come to it. */
export function outcomeOf(policy: RolloutPolicy, workload: Workload | undefined): Outcome {
  const { status, spec } = policy
  if (isRetryRequested(policy) || isAbortRequested(policy)) return 'going'
  const holds = (type: string) => status?.conditions?.some((one) => one.type === type && one.status === 'True') ?? false
  const isHeld = workload?.metadata.labels?.[holdLabel] !== undefined
  const isNew = isHeld && status?.rollout?.templateHash !== templateHash(workload.spec.template)
  if (isNew && spec.suspend !== true && workload.metadata.deletionTimestamp === undefined) {
    // What is stalled for another reason than the last rollout stays so.
    return holds('Stalled') && status?.rollout?.phase !== 'Aborted' ? 'failed' : 'going'
  }
  if (holds('Stalled')) return 'failed'
  return holds('Ready') ? 'settled' : 'going'
}
