/** What the status says after a deployer's function: pure, from the status it left and how it ended. */
import { secondTime } from '../../kube/time.ts'
import type { Instant } from '../../runtime/clock.ts'
import type { DeployItemStatus, LastError } from '../resources/types.ts'
import type { Branch } from './branch.ts'
import { isUnrecoverable, LandscaperError } from './errors.ts'
import { isFinal } from './phases.ts'
import { abortedReason } from './preparation.ts'

/** How long the same operation may fail before the item does. */
export const defaultErrorEscalationMs = 5 * 60_000

export function lastErrorOf(previous: LastError | undefined, error: LandscaperError, now: Instant): LastError {
  const time = secondTime(now)
  const { operation, reason, message, codes } = error
  return {
    operation,
    reason,
    message,
    lastTransitionTime: previous?.operation === operation ? previous.lastTransitionTime : time,
    lastUpdateTime: time,
    ...(codes.length === 0 ? {} : { codes: [...codes] }),
  }
}

export function afterError(
  status: DeployItemStatus,
  error: LandscaperError,
  now: Instant,
  escalationMs: number,
): DeployItemStatus {
  const lastError = lastErrorOf(status.lastError, error, now)
  const failingFor = Date.parse(lastError.lastUpdateTime) - Date.parse(lastError.lastTransitionTime)
  const hasFailed = status.phase === undefined || isUnrecoverable(error.codes) || failingFor > escalationMs
  return finished({ ...status, lastError, ...(hasFailed ? { phase: 'Failed' } : {}) })
}

/** The function is done with the item and left `status` behind; `working` is the phase it was called in. */
export function afterSuccess(
  branch: Branch,
  status: DeployItemStatus,
  working: DeployItemStatus['phase'],
  now: Instant,
): DeployItemStatus {
  const isUntouched = status.phase === working && !isFinal(status.phase)
  const phase = branch === 'abort' && isUntouched ? 'Failed' : isUntouched ? 'Succeeded' : status.phase
  const { lastError, ...rest } = status
  const next: DeployItemStatus = { ...rest, ...(phase === undefined ? {} : { phase }) }
  // A failure the deployer explained itself stays explained.
  if (phase === 'Failed')
    next.lastError =
      branch === 'abort'
        ? lastErrorOf(lastError, aborted(), now)
        : (lastError ?? lastErrorOf(undefined, unexplained(), now))
  return finished(next)
}

function aborted(): LandscaperError {
  return new LandscaperError('Abort', abortedReason, 'the deployer stopped because it was told to abort')
}

function unexplained(): LandscaperError {
  return new LandscaperError('Reconcile', 'DeployerFailed', 'the deployer ended with phase Failed and gave no reason')
}

/** A landscaper that asks by job learns the end together with the phase. */
function finished(status: DeployItemStatus): DeployItemStatus {
  return isFinal(status.phase) && status.jobID !== undefined ? { ...status, jobIDFinished: status.jobID } : status
}
