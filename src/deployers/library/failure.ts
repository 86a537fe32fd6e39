/** What becomes of a run that failed: the status tells it, an event tells it, and it is tried again unless the item has failed. */
import { isConflict, isMissingRight, isNotFound } from '../../kube/errors.ts'
import type { Logger } from '../../runtime/log.ts'
import { HookError } from '../hooks/execute.ts'
import { afterError } from './ending.ts'
import { asLandscaperError, isLandscaperError, LandscaperError } from './errors.ts'
import type { FlowEnd } from './flow-end.ts'
import { type ItemWriter, Superseded } from './item-writer.ts'
import { isFinal } from './phases.ts'
import { BranchFailure } from './run-branch.ts'
import type { CompiledDeployer, DeployerWorld } from './world.ts'

interface Failed {
  readonly world: DeployerWorld
  readonly compiled: CompiledDeployer
  readonly writer: ItemWriter
  readonly log: Logger
  readonly signal: AbortSignal
}

/** How soon an item is looked at again that somebody else changed meanwhile. */
const conflictPause = 100

export async function recordError(
  { world, compiled, writer, log, signal }: Failed,
  error: unknown,
  /** Undefined for what is told to nobody: reading and preparing the item. */
  operation: string | undefined,
): Promise<FlowEnd> {
  // Whoever takes over decides for himself; nothing may be written any more.
  if (signal.aborted) throw error
  if (isOvertaken(error)) return { requeue: false, requeueAfterMs: conflictPause, version: undefined }
  const { version, item } = writer
  if (operation === undefined) return { requeue: false, requeueAfterMs: 0, version, error }
  const [cause, left] = error instanceof BranchFailure ? [error.cause, error.status] : [error, item.status ?? {}]
  if (isOvertaken(cause)) return { requeue: false, requeueAfterMs: conflictPause, version: undefined }
  const known = landscaperErrorOf(cause, operation)
  const status = afterError(left, known, world.runtime.clock.now(), compiled.errorEscalationMs)
  world.events.record(item, { type: 'Warning', reason: known.reason, action: known.operation, note: known.message })
  log.warn('run failed', {
    operation: known.operation,
    reason: known.reason,
    codes: known.codes,
    phase: status.phase,
    // Whoever found words for it has said everything; where it was thrown helps with the rest.
    ...(isLandscaperError(cause) ? { message: known.message } : { error: cause }),
  })
  try {
    await writer.recordStatus(status)
  } catch (refused) {
    if (signal.aborted) throw refused
    if (isOvertaken(refused)) return { requeue: false, requeueAfterMs: conflictPause, version: undefined }
    return { requeue: false, requeueAfterMs: 0, version, error: refused }
  }
  const after = { requeue: false, requeueAfterMs: 0, version: writer.version }
  if (isFinal(writer.item.status?.phase)) return after
  // One of an older copy of this library says nothing about it.
  return { ...after, requeueAfterMs: known.retryAfterMs ?? 0, error: known }
}

/** The item is not what the run was decided on, or is gone: the caches are about to tell. */
function isOvertaken(error: unknown): boolean {
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
  return asLandscaperError(error, operation)
}
