/**
 * Decides the next step of an execution from the execution and its items; pure. An item starts when all its dependencies have succeeded,
 * and is deleted when no other item depends on it.
 */
import type { Instant } from '../../runtime/index.ts'
import { LandscaperError } from '../library/errors.ts'
import { isFinal } from '../library/phases.ts'
import { lastErrorOf } from '../library/status.ts'
import { annotations, finalizer, operations } from '../resources/annotations.ts'
import type { DeployItem, DeployItemTemplate, Execution, ExecutionStatus } from '../resources/types.ts'
import { nameOf, problemOf, removable } from './order.ts'
import { itemsByName, stateOf } from './state.ts'

/** Marks a run that was started with force-reconcile. */
const forcedAnnotation = 'deployers.carabiner.dev/forced'

export interface ExecutionDecision {
  readonly why: string
  /** Written after the items, with references to the triggered ones, and before the annotations. */
  readonly status?: ExecutionStatus
  readonly finalizers?: readonly string[]
  /** Annotations to remove from the execution; `mark` has those to add. */
  readonly remove?: readonly string[]
  readonly mark?: Readonly<Record<string, string>>
  readonly trigger?: readonly DeployItemTemplate[]
  /** The operation annotation of triggered items. */
  readonly operation?: string
  readonly annotate?: readonly { readonly item: DeployItem; readonly values: Readonly<Record<string, string>> }[]
  readonly removeItems?: readonly DeployItem[]
  /** Items whose exports are collected before the status says that the execution succeeded. */
  readonly collect?: readonly DeployItem[]
}

export function decideExecution(execution: Execution, items: readonly DeployItem[], now: Instant): ExecutionDecision {
  const { metadata, status = {} } = execution
  if (metadata.deletionTimestamp !== undefined) return decideDeletion(execution, items, now)
  if (metadata.annotations?.[annotations.ignore] === 'true' && isFinal(status.phase))
    return { why: 'the execution is ignored and has ended' }
  if (!metadata.finalizers?.includes(finalizer))
    return { why: 'the finalizer must be set first', finalizers: [...(metadata.finalizers ?? []), finalizer] }
  const operation = metadata.annotations?.[annotations.operation]
  if (operation === operations.reconcile || operation === operations.forceReconcile) {
    // Also during a run: its first items were not forced. The mark distinguishes the forced run from the one before.
    const mark = operation === operations.forceReconcile ? { [forcedAnnotation]: 'true' } : {}
    return { why: `operation ${operation}`, status: newRunStatus(execution), remove: [annotations.operation], mark }
  }
  if (operation === operations.abort) return decideAbort(execution, items, now)
  const problem = problemOf(execution.spec.deployItems ?? [])
  if (problem !== undefined) return decideFailure(execution, problem, now)
  return decideProgress(execution, items, now)
}

/** The status of a new run: every item counts as outdated. */
function newRunStatus(execution: Execution): ExecutionStatus {
  const { lastError: _, ...status } = execution.status ?? {}
  return { ...status, observedGeneration: execution.metadata.generation ?? 0, phase: 'Init', execGenerations: [] }
}

function decideProgress(execution: Execution, items: readonly DeployItem[], now: Instant): ExecutionDecision {
  const templates = execution.spec.deployItems ?? []
  const byName = itemsByName(items)
  const names = new Set(templates.map(({ name }) => name))
  const orphans = items.filter((item) => !names.has(nameOf(item)))
  if (orphans.length > 0) {
    const deletable = removable(orphans).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const why = 'items without a template are removed first'
    return { why, status: statusInPhase(execution, 'Progressing'), removeItems: deletable }
  }
  const states = new Map(templates.map(({ name }) => [name, stateOf(execution, name, byName.get(name))]))
  const named = (state: string) => templates.filter(({ name }) => states.get(name) === state)
  const outdated = named('outdated')
  const [broken] = named('failed')
  if (broken !== undefined) return decideFailure(execution, failureOf(broken.name, byName.get(broken.name)), now)
  const ready = outdated.filter(({ dependsOn = [] }) => dependsOn.every((name) => states.get(name) === 'succeeded'))
  if (outdated.length === 0 && named('running').length === 0) {
    const collect = templates.map(({ name }) => byName.get(name)).filter((item) => item !== undefined)
    const { lastError: _, ...status } = statusInPhase(execution, 'Succeeded')
    return { why: 'all items have succeeded', status, collect, remove: forceMarkOf(execution) }
  }
  return {
    why: ready.length > 0 ? `triggering ${ready.map(({ name }) => name).join(', ')}` : 'waiting for items under way',
    status: statusInPhase(execution, 'Progressing'),
    trigger: ready.filter(({ name }) => byName.get(name)?.metadata.deletionTimestamp === undefined),
    operation: forceMarkOf(execution).length > 0 ? operations.forceReconcile : operations.reconcile,
    // All items are triggered, so the mark is no longer needed.
    remove: outdated.length === 0 ? forceMarkOf(execution) : [],
  }
}

/** A failure that may pass by itself: the status shows the error, and the phase stays Progressing. */
export function decideWaiting(execution: Execution, error: LandscaperError, now: Instant): ExecutionDecision {
  return { why: error.message, status: { ...failedStatus(execution, error, now), phase: 'Progressing' } }
}

/** A final failure. The force mark is removed too: it would start the same run again and again. */
export function decideFailure(execution: Execution, error: LandscaperError, now: Instant): ExecutionDecision {
  return { why: error.message, status: failedStatus(execution, error, now), remove: forceMarkOf(execution) }
}

/** The force mark, if the execution has it. */
function forceMarkOf({ metadata }: Execution): readonly string[] {
  return metadata.annotations?.[forcedAnnotation] === undefined ? [] : [forcedAnnotation]
}

/** Aborts every item under way; when all have ended, the execution has failed. */
function decideAbort(execution: Execution, items: readonly DeployItem[], now: Instant): ExecutionDecision {
  const unfinished = items.filter(({ status }) => !isFinal(status?.phase))
  const notAborted = unfinished.filter(
    ({ metadata }) => metadata.annotations?.[annotations.operation] !== operations.abort,
  )
  if (unfinished.length > 0) {
    const values = { [annotations.operation]: operations.abort }
    return { why: 'aborting the items under way', annotate: notAborted.map((item) => ({ item, values })) }
  }
  const error = new LandscaperError('Abort', 'Aborted', 'the execution was aborted')
  const isOver = isFinal(execution.status?.phase)
  return {
    why: 'all items have ended',
    ...(isOver ? {} : { status: failedStatus(execution, error, now) }),
    remove: [annotations.operation, ...forceMarkOf(execution)],
  }
}

function decideDeletion(execution: Execution, items: readonly DeployItem[], now: Instant): ExecutionDecision {
  const { metadata } = execution
  if (items.length === 0) {
    const finalizers = (metadata.finalizers ?? []).filter((name) => name !== finalizer)
    return { why: 'all items are gone', finalizers }
  }
  const mark = annotations.deleteWithoutUninstall
  const isWithoutUninstall = metadata.annotations?.[mark] === 'true'
  const unmarked = isWithoutUninstall ? items.filter((item) => item.metadata.annotations?.[mark] !== 'true') : []
  const deletable = removable(items)
  const broken = deletable.find(
    ({ status, metadata: own }) =>
      own.deletionTimestamp !== undefined && status?.phase === 'Failed' && status.observedGeneration === own.generation,
  )
  const status =
    broken === undefined
      ? statusInPhase(execution, 'Deleting')
      : failedStatus(execution, failureOf(nameOf(broken), broken), now)
  return {
    why: `${deletable.map(nameOf).join(', ')} must be deleted first`,
    status,
    annotate: unmarked.map((item) => ({ item, values: { [mark]: 'true' } })),
    removeItems: deletable.filter((item) => item.metadata.deletionTimestamp === undefined),
  }
}

function statusInPhase(execution: Execution, phase: NonNullable<ExecutionStatus['phase']>): ExecutionStatus {
  return { ...execution.status, observedGeneration: execution.metadata.generation ?? 0, phase }
}

function failedStatus(execution: Execution, error: LandscaperError, now: Instant): ExecutionStatus {
  const before = execution.status?.lastError
  const isKnown = before?.message === error.message && before.operation === error.operation
  const lastError = isKnown ? before : lastErrorOf(before, error, now)
  return { ...statusInPhase(execution, 'Failed'), lastError }
}

function failureOf(name: string, item: DeployItem | undefined): LandscaperError {
  const { reason, message, codes } = item?.status?.lastError ?? {}
  const detail = message === undefined ? '' : `: ${message}`
  return new LandscaperError('DeployItem', reason ?? 'DeployItemFailed', `deploy item ${name} has failed${detail}`, {
    codes: codes ?? [],
  })
}
