/**
 * Whether an item waits too long: to be picked up, to be done, to be aborted. Pure: the item and the time in, what to write and when to
 * look again out.
 */
import { secondTime } from '../../kube/time.ts'
import type { Instant } from '../../runtime/clock.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import { progressingTimeout } from '../library/deadline.ts'
import { lastErrorOf } from '../library/ending.ts'
import { LandscaperError } from '../library/errors.ts'
import { isAtWork, isFinal, operationOf } from '../library/phases.ts'
import type { DeployItem, DeployItemStatus } from '../resources/types.ts'
import { annotations, operations } from '../resources/words.ts'

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
  /** Milliseconds until the next look. */
  readonly after?: number
}

export const pickupReason = 'PickupTimeout'
const abortingReason = 'AbortingTimeout'
/** Clocks differ: better a little late than once too early. */
const slack = 5_000

/** `targetIsMissing` tells the reader of a pickup timeout the likeliest cause. */
export function decideTimeouts(
  item: DeployItem,
  timeouts: Timeouts,
  now: Instant,
  targetIsMissing: boolean,
): TimeoutDecision {
  const pickup = decidePickup(item, timeouts.pickup, now, targetIsMissing)
  if (pickup === 'done') return {}
  if (typeof pickup === 'object') return pickup
  const abort = decideAbort(item, timeouts.abort, now)
  if (typeof abort === 'object') return abort
  const progressing = decideProgressing(item, timeouts.progressingDefault, now)
  if (typeof progressing === 'object') return progressing
  const waits = [pickup, abort, progressing].filter((wait) => wait !== undefined)
  return waits.length === 0 ? {} : { after: Math.min(...waits) }
}

type Verdict = TimeoutDecision | number | undefined

function decidePickup(item: DeployItem, timeout: number, now: Instant, targetIsMissing: boolean): Verdict | 'done' {
  const since = timestamp(item, annotations.reconcileTime)
  if (timeout === 0 || since === undefined) return undefined
  const { status } = item
  // A late deployer has begun and is about to remove the annotation: to fail the item now would be a fight without end.
  if (Date.parse(status?.lastReconcileTime ?? '') > since) return undefined
  if (status?.phase === 'Failed' && status.lastError?.reason === pickupReason) return 'done'
  const remaining = since + timeout - now
  if (remaining > 0) return remaining + slack
  const cause = targetIsMissing ? ', probably because the referenced Target does not exist' : ''
  const message = `no deployer has reconciled this deployitem within ${Math.floor(timeout / 1000)} seconds${cause}`
  return { status: failed(item, 'WaitingForPickup', pickupReason, message, now) }
}

function decideAbort(item: DeployItem, timeout: number, now: Instant): Verdict {
  const since = timestamp(item, annotations.abortTime)
  if (since === undefined) return undefined
  const isAborting = operationOf(item) === operations.abort
  // The end has come, in time or not: an abort that stays would hit the next run.
  if (isFinal(item.status?.phase)) {
    return { annotations: { ...(isAborting ? { [annotations.operation]: null } : {}), [annotations.abortTime]: null } }
  }
  if (timeout === 0) return undefined
  const remaining = since + timeout - now
  if (remaining > 0) return remaining + slack
  const message = `deployer has not aborted progressing this deploy item within ${Math.floor(timeout / 1000)} seconds`
  return { status: failed(item, 'WaitingForAbort', abortingReason, message, now) }
}

function decideProgressing(item: DeployItem, defaultTimeout: number, now: Instant): Verdict {
  const timeout = progressingTimeout(item, defaultTimeout)
  const since = Date.parse(item.status?.lastReconcileTime ?? '')
  if (timeout === 0 || Number.isNaN(since) || !isAtWork(item.status?.phase)) return undefined
  const remaining = since + timeout - now
  if (remaining > 0) return remaining + slack
  // Once is enough: a time that moves on with every event would never be over.
  if (operationOf(item) === operations.abort && item.metadata.annotations?.[annotations.abortTime] !== undefined)
    return undefined
  return { annotations: { [annotations.operation]: operations.abort, [annotations.abortTime]: secondTime(now) } }
}

function failed(
  { status = {} }: DeployItem,
  operation: string,
  reason: string,
  message: string,
  now: Instant,
): DeployItemStatus {
  const error = new LandscaperError(operation, reason, message, { codes: ['ERR_TIMEOUT'] })
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
    `DeployItem ${namespace}/${name}: annotation ${annotation} is no time: ${JSON.stringify(text)}`,
  )
}
