/**
 * Decides whether an item waits too long to be picked up, to finish or to be aborted. Pure: returns what to write and when to check again.
 */
import { secondTime } from '../../kube/index.ts'
import { CarabinerError, type Instant, smallest } from '../../runtime/index.ts'
import { progressingTimeout } from '../library/deadline.ts'
import { LandscaperError } from '../library/errors.ts'
import { isAtWork, isFinal, operationOf } from '../library/phases.ts'
import { lastErrorOf } from '../library/status.ts'
import { annotations, operations } from '../resources/annotations.ts'
import type { DeployItem, DeployItemStatus } from '../resources/types.ts'

/** Milliseconds; 0 switches a check off. */
export interface Timeouts {
  readonly pickup: number
  readonly abort: number
  readonly progressingDefault: number
}

export const defaultTimeouts: Timeouts = { pickup: 5 * 60_000, abort: 5 * 60_000, progressingDefault: 10 * 60_000 }

export interface TimeoutDecision {
  readonly status?: DeployItemStatus
  /** New values of annotations; null removes one. */
  readonly annotations?: Readonly<Record<string, string | null>>
  /** Milliseconds until the next check. */
  readonly after?: number
}

export const pickupReason = 'PickupTimeout'
const abortingReason = 'AbortingTimeout'
/** Allows for clocks that differ, so that no timeout comes too early. */
const clockSkewMs = 5_000

export interface TimeoutCircumstances {
  readonly now: Instant
  /** Adds the likely cause to the message of a pickup timeout. */
  readonly isTargetMissing: boolean
}

export function decideTimeouts(
  item: DeployItem,
  timeouts: Timeouts,
  { now, isTargetMissing }: TimeoutCircumstances,
): TimeoutDecision {
  const pickup = decidePickup(item, timeouts.pickup, { now, isTargetMissing })
  if (pickup === 'done') return {}
  if (typeof pickup === 'object') return pickup
  const abort = decideAbort(item, timeouts.abort, now)
  if (typeof abort === 'object') return abort
  const progressing = decideProgressing(item, timeouts.progressingDefault, now)
  if (typeof progressing === 'object') return progressing
  const waits = [pickup, abort, progressing].filter((wait) => wait !== undefined)
  return waits.length === 0 ? {} : { after: smallest(waits) }
}

type TimeoutVerdict = TimeoutDecision | number | undefined

function decidePickup(
  item: DeployItem,
  timeout: number,
  { now, isTargetMissing }: TimeoutCircumstances,
): TimeoutVerdict | 'done' {
  const since = timestamp(item, annotations.reconcileTime)
  if (timeout === 0 || since === undefined) return undefined
  const { status } = item
  // A deployer has begun late and is about to remove the annotation; failing the item now would conflict with its run.
  if (Date.parse(status?.lastReconcileTime ?? '') > since) return undefined
  if (status?.phase === 'Failed' && status.lastError?.reason === pickupReason) return 'done'
  const remaining = since + timeout - now
  if (remaining > 0) return remaining + clockSkewMs
  const cause = isTargetMissing ? ', probably because the referenced Target does not exist' : ''
  const message = `no deployer has reconciled this deployitem within ${Math.floor(timeout / 1000)} seconds${cause}`
  return { status: failed(item, ['WaitingForPickup', pickupReason, message], now) }
}

function decideAbort(item: DeployItem, timeout: number, now: Instant): TimeoutVerdict {
  const since = timestamp(item, annotations.abortTime)
  if (since === undefined) return undefined
  const isAborting = operationOf(item) === operations.abort
  // The item has ended; an abort annotation left behind would abort the next run.
  if (isFinal(item.status?.phase)) {
    return { annotations: { ...(isAborting ? { [annotations.operation]: null } : {}), [annotations.abortTime]: null } }
  }
  if (timeout === 0) return undefined
  const remaining = since + timeout - now
  if (remaining > 0) return remaining + clockSkewMs
  const message = `deployer has not aborted progressing this deploy item within ${Math.floor(timeout / 1000)} seconds`
  return { status: failed(item, ['WaitingForAbort', abortingReason, message], now) }
}

function decideProgressing(item: DeployItem, defaultTimeout: number, now: Instant): TimeoutVerdict {
  const timeout = progressingTimeout(item, defaultTimeout)
  const since = Date.parse(item.status?.lastReconcileTime ?? '')
  if (timeout === 0 || Number.isNaN(since) || !isAtWork(item.status?.phase)) return undefined
  const remaining = since + timeout - now
  if (remaining > 0) return remaining + clockSkewMs
  // Set the abort time only once: renewing it with every event would postpone the timeout without end.
  if (operationOf(item) === operations.abort && item.metadata.annotations?.[annotations.abortTime] !== undefined)
    return undefined
  return { annotations: { [annotations.operation]: operations.abort, [annotations.abortTime]: secondTime(now) } }
}

function failed(
  { status = {} }: DeployItem,
  failure: readonly [operation: string, reason: string, message: string],
  now: Instant,
): DeployItemStatus {
  const error = new LandscaperError(...failure, { codes: ['ERR_TIMEOUT'] })
  return { observedGeneration: 0, ...status, phase: 'Failed', lastError: lastErrorOf(status.lastError, error, now) }
}

function timestamp(item: DeployItem, annotation: string): Instant | undefined {
  const text = item.metadata.annotations?.[annotation]
  if (text === undefined) return undefined
  const time = Date.parse(text)
  if (!Number.isNaN(time) && /^\d{4}-\d\d-\d\dT/.test(text)) return time
  const { namespace, name } = item.metadata
  throw new CarabinerError(
    'CRB_ITEM_INVALID',
    `DeployItem ${namespace}/${name}: annotation ${annotation} is not a time: ${JSON.stringify(text)}`,
  )
}
