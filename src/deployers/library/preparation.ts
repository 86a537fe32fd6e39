/**
 * Steps 3 and 4 of the contract as a pure function: whether a new run begins, what is written into the status for it, and which
 * annotations are used up. The status comes first, so that a crash in between repeats work instead of losing it.
 */
import { secondTime } from '../../kube/time.ts'
import type { Instant } from '../../runtime/clock.ts'
import type { DeployItem, DeployItemStatus } from '../resources/types.ts'
import { annotations, finalizer, operations } from '../resources/words.ts'
import { isAtWork, isFinal, operationOf } from './phases.ts'

export interface DeployerInfo {
  readonly identity: string
  readonly name: string
  readonly version: string
}

export interface Preparation {
  /** Why a new run begins; undefined when none does. */
  readonly because: string | undefined
  /** Annotations to be removed. */
  readonly usedUp: readonly string[]
}

/** The reason of an item that its deployer stopped because it was told to. */
export const abortedReason = 'Aborted'

export function prepare(item: DeployItem): Preparation {
  const { metadata } = item
  const operation = operationOf(item)
  const because = reasonToRun(item)
  const has = (name: string) => metadata.annotations?.[name] !== undefined
  const usedUp: string[] = []
  if (operation === operations.reconcile || operation === operations.testReconcile) usedUp.push(annotations.operation)
  if (has(annotations.reconcileTime)) usedUp.push(annotations.reconcileTime)
  const wasAborted = isFinal(item.status?.phase) && item.status?.lastError?.reason === abortedReason
  if (operation === operations.abort && wasAborted && because === undefined) usedUp.push(annotations.operation)
  // A time without its operation would count against the new run, and one that was heeded is done with.
  const isStale = operation !== operations.abort || usedUp.includes(annotations.operation)
  if (has(annotations.abortTime) && isStale && (because !== undefined || wasAborted)) usedUp.push(annotations.abortTime)
  return { because, usedUp }
}

function reasonToRun(item: DeployItem): string | undefined {
  const { metadata, status = {} } = item
  const operation = operationOf(item)
  const isCurrent = (status.observedGeneration ?? 0) === (metadata.generation ?? 0)
  if (operation === operations.reconcile || operation === operations.testReconcile) return `operation ${operation}`
  // One that is prepared already and only waits for its turn is not prepared again and again.
  if (operation === operations.forceReconcile && !(isCurrent && status.phase === 'Init'))
    return `operation ${operation}`
  if (!isCurrent) return `generation ${metadata.generation} is not observed yet`
  if (status.jobID !== undefined && status.jobID !== status.jobIDFinished && !isAtWork(status.phase))
    return `job ${status.jobID} is not finished`
  // Nothing else would wake an item that was to be deleted and was aborted instead.
  const isLeft = metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true
  const isAborted = isFinal(status.phase) && status.lastError?.reason === abortedReason
  if (isLeft && isAborted && operation !== operations.abort) return 'the item was aborted and is to be deleted'
  return undefined
}

/** The status a run begins with. */
export function preparedStatus(item: DeployItem, deployer: DeployerInfo, now: Instant): DeployItemStatus {
  const { identity, name, version } = deployer
  return {
    ...item.status,
    observedGeneration: item.metadata.generation ?? 0,
    phase: 'Init',
    lastReconcileTime: secondTime(now),
    deployer: { identity, name, version },
  }
}
