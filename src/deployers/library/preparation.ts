/**
 * Steps 3 and 4 of the Landscaper contract, as pure functions: whether a new run begins, its first status, and which annotations are
 * removed. The status is written before the annotations are removed, so a crash in between repeats work instead of losing it.
 */
import { secondTime } from '../../kube/index.ts'
import type { Instant } from '../../runtime/index.ts'
import { annotations, finalizer, operations } from '../resources/annotations.ts'
import type { DeployItem, DeployItemStatus } from '../resources/types.ts'
import { isAtWork, isFinal, operationOf } from './phases.ts'

export interface DeployerInfo {
  readonly identity: string
  readonly name: string
  readonly version: string
}

export interface Preparation {
  /** Why a new run begins; undefined when none does. */
  readonly reason: string | undefined
  readonly annotationsToRemove: readonly string[]
}

/** The `lastError.reason` of an aborted item. */
export const abortedReason = 'Aborted'

export function prepare(item: DeployItem): Preparation {
  const { metadata } = item
  const operation = operationOf(item)
  const reason = reasonToRun(item)
  const has = (name: string) => metadata.annotations?.[name] !== undefined
  const annotationsToRemove: string[] = []
  if (operation === operations.reconcile || operation === operations.testReconcile)
    annotationsToRemove.push(annotations.operation)
  if (has(annotations.reconcileTime)) annotationsToRemove.push(annotations.reconcileTime)
  const wasAborted = isFinal(item.status?.phase) && item.status?.lastError?.reason === abortedReason
  if (operation === operations.abort && wasAborted && reason === undefined)
    annotationsToRemove.push(annotations.operation)
  // Remove an abort-time without its operation, or it would count for the new run; and the one of a completed abort.
  const isStale = operation !== operations.abort || annotationsToRemove.includes(annotations.operation)
  if (has(annotations.abortTime) && isStale && (reason !== undefined || wasAborted))
    annotationsToRemove.push(annotations.abortTime)
  return { reason, annotationsToRemove }
}

function reasonToRun(item: DeployItem): string | undefined {
  const { metadata, status = {} } = item
  const operation = operationOf(item)
  const isCurrent = (status.observedGeneration ?? 0) === (metadata.generation ?? 0)
  if (operation === operations.reconcile || operation === operations.testReconcile) return `operation ${operation}`
  // An item in phase Init is prepared already and must not be prepared again.
  if (operation === operations.forceReconcile && !(isCurrent && status.phase === 'Init'))
    return `operation ${operation}`
  if (!isCurrent) return `generation ${metadata.generation} is not observed yet`
  if (status.jobID !== undefined && status.jobID !== status.jobIDFinished && !isAtWork(status.phase))
    return `job ${status.jobID} is not finished`
  // An item whose deletion was aborted has no other trigger for a new run.
  const awaitsDeletion = metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true
  const isAborted = isFinal(status.phase) && status.lastError?.reason === abortedReason
  if (awaitsDeletion && isAborted && operation !== operations.abort) return 'the item was aborted and is to be deleted'
  return undefined
}

/** The first status of a run. */
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
