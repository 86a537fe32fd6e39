/** The status after a call of a deployer's function; pure, from the status the function left and from how it ended. */
import { secondTime } from '../../kube/index.ts'
import type { Instant } from '../../runtime/index.ts'
import type { DeployItemStatus, LastError } from '../resources/types.ts'
import type { Branch } from './branch.ts'
import { isUnrecoverable, LandscaperError } from './errors.ts'
import { isFinal } from './phases.ts'
import { abortedReason } from './preparation.ts'

/** How long the same operation may fail before the item fails. */
export const defaultErrorEscalationMs = 5 * 60_000

const maxMessageLength = 8_000

export function lastErrorOf(previous: LastError | undefined, error: LandscaperError, now: Instant): LastError {
  const time = secondTime(now)
  const { operation, reason, message, codes } = error
  return {
    operation,
    reason,
    // A target chooses the messages of its errors, and with a long one the API server would refuse the status.
    message: message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message,
    lastTransitionTime: previous?.operation === operation ? previous.lastTransitionTime : time,
    lastUpdateTime: time,
    ...(codes.length === 0 ? {} : { codes: [...codes] }),
  }
}

export function statusAfterError(
  status: DeployItemStatus,
  error: LandscaperError,
  now: Instant,
  escalationMs: number,
): DeployItemStatus {
  const lastError = lastErrorOf(status.lastError, error, now)
  const failingFor = Date.parse(lastError.lastUpdateTime) - Date.parse(lastError.lastTransitionTime)
  const isHopeless = !error.isAwaited && (status.phase === undefined || isUnrecoverable(error.codes))
  const hasFailed = isHopeless || failingFor > escalationMs
  return withFinishedJob({ ...status, lastError, ...(hasFailed ? { phase: 'Failed' } : {}) })
}

/** `status` is what the function left; `working` is the phase it was called in. */
export function statusAfterSuccess(
  branch: Branch,
  status: DeployItemStatus,
  working: DeployItemStatus['phase'],
  now: Instant,
): DeployItemStatus {
  const isUntouched = status.phase === working && !isFinal(status.phase)
  const phase = branch === 'abort' && isUntouched ? 'Failed' : isUntouched ? 'Succeeded' : status.phase
  const { lastError, ...rest } = status
  const next: DeployItemStatus = { ...rest, ...(phase === undefined ? {} : { phase }) }
  // Keeps a lastError that the deployer set itself.
  if (phase === 'Failed')
    next.lastError =
      branch === 'abort'
        ? lastErrorOf(lastError, abortedError(), now)
        : (lastError ?? lastErrorOf(undefined, unexplainedError(), now))
  return withFinishedJob(next)
}

function abortedError(): LandscaperError {
  return new LandscaperError('Abort', abortedReason, 'the deployer stopped because an abort was requested')
}

function unexplainedError(): LandscaperError {
  return new LandscaperError('Reconcile', 'DeployerFailed', 'the deployer set phase Failed without a lastError')
}

/** A newer Landscaper expects jobIDFinished together with the final phase. */
function withFinishedJob(status: DeployItemStatus): DeployItemStatus {
  return isFinal(status.phase) && status.jobID !== undefined ? { ...status, jobIDFinished: status.jobID } : status
}
