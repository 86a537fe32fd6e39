/** Handles a failed run: writes the error into the status, records an event, and requeues with back-off unless the item has failed. */
import { isConflict, isMissingRight, isNotFound } from '../../kube/index.ts'
import { CarabinerError, type Logger } from '../../runtime/index.ts'
import { HookError } from '../hooks/execute.ts'
import { failedRunOf } from '../hooks/records.ts'
import { asLandscaperError, configurationProblem, isLandscaperError, LandscaperError } from './errors.ts'
import type { FlowResult } from './flow-result.ts'
import { type ItemWriter, Superseded } from './item-writer.ts'
import { isFinal } from './phases.ts'
import { BranchFailure } from './run-branch.ts'
import { statusAfterError } from './status.ts'
import type { CompiledDeployer, DeployerWorld } from './world.ts'

interface FailedRun {
  readonly world: DeployerWorld
  readonly compiled: CompiledDeployer
  readonly writer: ItemWriter
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Requeue delay after a conflict with another writer. */
const conflictBackoffMs = 100

export async function recordError(
  { world, compiled, writer, log, signal }: FailedRun,
  error: unknown,
  /** Undefined for errors that are not written to the status: those of reading and preparing the item. */
  operation: string | undefined,
): Promise<FlowResult> {
  // After shutdown another replica may already reconcile the item, so nothing may be written.
  if (signal.aborted) throw error
  if (isStale(error)) return { requeue: false, requeueAfterMs: conflictBackoffMs, version: undefined }
  const { version, item } = writer
  if (operation === undefined) return { requeue: false, requeueAfterMs: 0, version, error }
  const [cause, left] = error instanceof BranchFailure ? [error.cause, error.status] : [error, item.status ?? {}]
  if (isStale(cause)) return { requeue: false, requeueAfterMs: conflictBackoffMs, version: undefined }
  const known = landscaperErrorOf(cause, operation)
  const status = statusAfterError(left, known, world.runtime.clock.now(), compiled.errorEscalationMs)
  const run = failedRunOf(known)
  const note = run === undefined ? known.message : `${known.message} (run ${run})`
  world.events.record(item, { type: 'Warning', reason: known.reason, action: known.operation, note })
  log.warn('run failed', {
    operation: known.operation,
    reason: known.reason,
    codes: known.codes,
    phase: status.phase,
    ...(run === undefined ? {} : { run }),
    // The message of a LandscaperError explains it fully; other errors are logged with their stack.
    ...(isLandscaperError(cause) ? { message: known.message } : { error: cause }),
  })
  try {
    await writer.recordStatus(status)
  } catch (refused) {
    if (signal.aborted) throw refused
    if (isStale(refused)) return { requeue: false, requeueAfterMs: conflictBackoffMs, version: undefined }
    return { requeue: false, requeueAfterMs: 0, version, error: refused }
  }
  const after = { requeue: false, requeueAfterMs: 0, version: writer.version }
  if (isFinal(writer.item.status?.phase)) return after
  // An error of an older copy of this library has no retryAfterMs.
  return { ...after, requeueAfterMs: known.retryAfterMs ?? 0, error: known }
}

/** The item has changed since the run was decided, or is gone; the caches will show it. */
function isStale(error: unknown): boolean {
  return (
    isConflict(error) ||
    error instanceof Superseded ||
    (isNotFound(error) && error.status.details?.kind === 'deployitems')
  )
}

function landscaperErrorOf(error: unknown, operation: string): LandscaperError {
  if (error instanceof HookError) {
    const { cause } = error
    const known = isLandscaperError(cause) ? cause : undefined
    return new LandscaperError(known?.operation ?? error.type, known?.reason ?? 'HookFailed', error.message, {
      codes: known?.codes ?? [],
      cause: error,
    })
  }
  if (isMissingRight(error))
    return new LandscaperError(operation, 'Unauthorized', error.message, { codes: ['ERR_UNAUTHORIZED'], cause: error })
  if (error instanceof CarabinerError && error.code === 'CRB_JSONPATH_LIMIT')
    return configurationProblem(operation, error.message, error)
  return asLandscaperError(error, operation)
}
