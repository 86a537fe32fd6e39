/**
 * What an execution does next: pure, from the execution and its items. Items begin when everything they depend on has succeeded, and go
 * when nothing depends on them any more.
 */
import type { Instant } from '../../runtime/clock.ts'
import { lastErrorOf } from '../library/ending.ts'
import { LandscaperError } from '../library/errors.ts'
import { isFinal } from '../library/phases.ts'
import type { DeployItem, DeployItemTemplate, Execution, ExecutionStatus } from '../resources/types.ts'
import { annotations, finalizer, operations } from '../resources/words.ts'
import { nameOf, problemOf, removable } from './order.ts'
import { itemsByName, stateOf } from './state.ts'

/** An annotation of our own: the run under way is one that was forced. */
const forced = 'deployers.carabiner.dev/forced'

export interface ExecutionDecision {
  readonly why: string
  /** Written after everything else but the annotations that are used up; what was triggered is entered then. */
  readonly status?: ExecutionStatus
  readonly finalizers?: readonly string[]
  /** Annotations of the execution that are used up, and those it gets. */
  readonly remove?: readonly string[]
  readonly mark?: Readonly<Record<string, string>>
  readonly trigger?: readonly DeployItemTemplate[]
  /** The operation items are triggered with. */
  readonly operation?: string
  readonly annotate?: readonly { readonly item: DeployItem; readonly values: Readonly<Record<string, string>> }[]
  readonly removeItems?: readonly DeployItem[]
  /** Everything has succeeded: put the exports together before the status says so. */
  readonly collect?: readonly DeployItem[]
}

export function decideExecution(execution: Execution, items: readonly DeployItem[], now: Instant): ExecutionDecision {
  const { metadata, status = {} } = execution
  if (metadata.deletionTimestamp !== undefined) return decideDeletion(execution, items, now)
  if (metadata.annotations?.[annotations.ignore] === 'true' && isFinal(status.phase))
    return { why: 'it is ignored and has ended' }
  if (!metadata.finalizers?.includes(finalizer))
    return { why: 'the finalizer comes first', finalizers: [...(metadata.finalizers ?? []), finalizer] }
  const operation = metadata.annotations?.[annotations.operation]
  if (operation === operations.reconcile || operation === operations.forceReconcile) {
    // Also in the midst of a run: what went before the wish was not forced. The mark tells the run that follows from the one before.
    const mark = operation === operations.forceReconcile ? { [forced]: 'true' } : {}
    return { why: `operation ${operation}`, status: begun(execution), remove: [annotations.operation], mark }
  }
  if (operation === operations.abort) return decideAbort(execution, items, now)
  const problem = problemOf(execution.spec.deployItems ?? [])
  if (problem !== undefined) return decideFailure(execution, problem, now)
  return decideProgress(execution, items, now)
}

/** A new run: no item counts as brought in line any more. */
function begun(execution: Execution): ExecutionStatus {
  const { lastError: _, ...status } = execution.status ?? {}
  return { ...status, observedGeneration: execution.metadata.generation ?? 0, phase: 'Init', execGenerations: [] }
}

function decideProgress(execution: Execution, items: readonly DeployItem[], now: Instant): ExecutionDecision {
  const templates = execution.spec.deployItems ?? []
  const byName = itemsByName(items)
  const names = new Set(templates.map(({ name }) => name))
  const orphans = items.filter((item) => !names.has(nameOf(item)))
  if (orphans.length > 0) {
    const going = removable(orphans).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const why = 'items whose templates are gone are removed first'
    return { why, status: working(execution, 'Progressing'), removeItems: going }
  }
  const states = new Map(templates.map(({ name }) => [name, stateOf(execution, name, byName.get(name))]))
  const named = (state: string) => templates.filter(({ name }) => states.get(name) === state)
  const outdated = named('outdated')
  const [broken] = named('failed')
  if (broken !== undefined) return decideFailure(execution, failureOf(broken.name, byName.get(broken.name)), now)
  const ready = outdated.filter(({ dependsOn = [] }) => dependsOn.every((name) => states.get(name) === 'succeeded'))
  if (outdated.length === 0 && named('running').length === 0) {
    const collect = templates.map(({ name }) => byName.get(name)).filter((item) => item !== undefined)
    const { lastError: _, ...status } = working(execution, 'Succeeded')
    return { why: 'every item has succeeded', status, collect, remove: forcing(execution) }
  }
  return {
    why: ready.length > 0 ? `it is the turn of ${ready.map(({ name }) => name).join(', ')}` : 'items are at work',
    status: working(execution, 'Progressing'),
    trigger: ready.filter(({ name }) => byName.get(name)?.metadata.deletionTimestamp === undefined),
    operation: forcing(execution).length > 0 ? operations.forceReconcile : operations.reconcile,
    // Everything has been triggered, so that the wish is fulfilled.
    remove: outdated.length === 0 ? forcing(execution) : [],
  }
}

/** It cannot go on for now, through no fault of its own: what it waits for is told, and it is tried again. */
export function decideWaiting(execution: Execution, error: LandscaperError, now: Instant): ExecutionDecision {
  return { why: error.message, status: { ...failed(execution, error, now), phase: 'Progressing' } }
}

/** It cannot go on. A wish to force it ends here too: it would start the same run again, without end. */
export function decideFailure(execution: Execution, error: LandscaperError, now: Instant): ExecutionDecision {
  return { why: error.message, status: failed(execution, error, now), remove: forcing(execution) }
}

/** The annotation that forces every item, when it is there. */
function forcing({ metadata }: Execution): readonly string[] {
  return metadata.annotations?.[forced] === undefined ? [] : [forced]
}

/** Everything under way is told to stop; when all of it has, the execution has failed. */
function decideAbort(execution: Execution, items: readonly DeployItem[], now: Instant): ExecutionDecision {
  const going = items.filter(({ status }) => !isFinal(status?.phase))
  const untold = going.filter(({ metadata }) => metadata.annotations?.[annotations.operation] !== operations.abort)
  if (going.length > 0) {
    const values = { [annotations.operation]: operations.abort }
    return { why: 'items are told to abort', annotate: untold.map((item) => ({ item, values })) }
  }
  const error = new LandscaperError('Abort', 'Aborted', 'the execution was aborted')
  const isOver = isFinal(execution.status?.phase)
  return {
    why: 'nothing is under way any more',
    ...(isOver ? {} : { status: failed(execution, error, now) }),
    remove: [annotations.operation, ...forcing(execution)],
  }
}

function decideDeletion(execution: Execution, items: readonly DeployItem[], now: Instant): ExecutionDecision {
  const { metadata } = execution
  if (items.length === 0) {
    const finalizers = (metadata.finalizers ?? []).filter((name) => name !== finalizer)
    return { why: 'no item is left', finalizers }
  }
  const mark = annotations.deleteWithoutUninstall
  const isForgotten = metadata.annotations?.[mark] === 'true'
  const unmarked = isForgotten ? items.filter((item) => item.metadata.annotations?.[mark] !== 'true') : []
  const going = removable(items)
  const broken = going.find(
    ({ status, metadata: own }) =>
      own.deletionTimestamp !== undefined && status?.phase === 'Failed' && status.observedGeneration === own.generation,
  )
  const status =
    broken === undefined ? working(execution, 'Deleting') : failed(execution, failureOf(nameOf(broken), broken), now)
  return {
    why: `${going.map(nameOf).join(', ')} must go first`,
    status,
    annotate: unmarked.map((item) => ({ item, values: { [mark]: 'true' } })),
    removeItems: going.filter((item) => item.metadata.deletionTimestamp === undefined),
  }
}

function working(execution: Execution, phase: NonNullable<ExecutionStatus['phase']>): ExecutionStatus {
  return { ...execution.status, observedGeneration: execution.metadata.generation ?? 0, phase }
}

function failed(execution: Execution, error: LandscaperError, now: Instant): ExecutionStatus {
  const before = execution.status?.lastError
  const isKnown = before?.message === error.message && before.operation === error.operation
  const lastError = isKnown ? before : lastErrorOf(before, error, now)
  return { ...working(execution, 'Failed'), lastError }
}

function failureOf(name: string, item: DeployItem | undefined): LandscaperError {
  const { reason, message, codes } = item?.status?.lastError ?? {}
  const told = message === undefined ? '' : `: ${message}`
  return new LandscaperError('DeployItem', reason ?? 'DeployItemFailed', `deploy item ${name} has failed${told}`, {
    codes: codes ?? [],
  })
}
