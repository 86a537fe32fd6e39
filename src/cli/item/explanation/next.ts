/** What the contract will do with an item next, in sentences. The answers come from the functions that the deployers decide with. */
import {
  annotations,
  branchOf,
  type DeployItem,
  deadlineOf,
  decideTimeouts,
  isAtWork,
  isFinal,
  isMarked,
  nextFromConfiguration,
  prepare,
} from '../../../deployers/index.ts'
import { secondTime } from '../../../kube/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { span } from '../../terminal/span.ts'
import type { Known } from './known.ts'

export interface Situation {
  readonly item: DeployItem
  readonly isTargetMissing: boolean
  /** How many of the known deployers are responsible. */
  readonly responsible: number
  readonly known: Known
  readonly now: Instant
}

export function nextSteps(situation: Situation): readonly string[] {
  const { item, responsible } = situation
  if (isMarked(item, annotations.ignore) && isFinal(item.status?.phase))
    return [`nothing: the annotation ${annotations.ignore} says so`]
  const some = [...(responsible === 0 ? withoutDeployer(situation) : steps(situation)), ...timeouts(situation)]
  return responsible > 1
    ? [`${responsible} deployers are responsible and will both work: give them different target selectors`, ...some]
    : some
}

function withoutDeployer({ item, isTargetMissing, known: { deployers, isGuess } }: Situation): readonly string[] {
  const types = [...new Set(deployers.map(({ type }) => type))]
  const isKnownType = types.includes(item.spec.type)
  if (isTargetMissing && isKnownType)
    return [`nothing until there is a Target ${item.spec.target?.name} in the item's namespace`]
  return [
    isKnownType
      ? 'nothing: none of the known deployers is responsible'
      : `nothing: no known deployer takes the type ${item.spec.type}; they take ${types.join(', ')}`,
    ...(isGuess === true
      ? ['these are the stock deployers; --operator lists the deployers of a running operator']
      : []),
  ]
}

const functions = {
  reconcile: 'reconcile',
  forceReconcile: 'forceReconcile',
  delete: 'delete, after which the finalizer is removed',
  abort: 'abort, after which the item has failed',
} as const

function steps({ item, known, now }: Situation): readonly string[] {
  const { deletionFirst, timeouts: limits } = known
  const { reason: because, annotationsToRemove } = prepare(item)
  const { phase } = item.status ?? {}
  const removed =
    annotationsToRemove.length === 0 ? [] : [`the annotations ${annotationsToRemove.join(', ')} are removed`]
  const calls = `the deployer's function ${functions[branchOf(item, { deletionFirst })]} is called`
  if (because !== undefined) return [`a run begins, because ${because}: the phase becomes Init`, ...removed, calls]
  if (isAtWork(phase)) {
    const deadline = deadlineOf(item, limits.progressingDefault)
    const until = deadline === undefined ? '' : `, until ${secondTime(deadline)} at the latest`
    return [...removed, `the run goes on: ${calls} again until it is done${until}`]
  }
  return [...removed, ...rest(item, now)]
}

/** Nothing asks for a run. */
function rest(item: DeployItem, now: Instant): readonly string[] {
  const last = Date.parse(item.status?.lastReconcileTime ?? '')
  const isOff = item.metadata.annotations?.[annotations.continuousReconcile] === 'false'
  const due = isOff || Number.isNaN(last) ? undefined : (nextFromConfiguration(last, item) ?? undefined)
  if (due !== undefined)
    return [
      `a run begins at ${secondTime(Math.max(due, now))}, because of continuousReconcile, or when the item changes`,
    ]
  return [`nothing until its spec changes or the annotation ${annotations.operation} is set`]
}

function timeouts({ item, isTargetMissing, known, now }: Situation): readonly string[] {
  const { status, annotations: changed, after } = decideTimeouts(item, known.timeouts, { now, isTargetMissing })
  if (status?.lastError !== undefined) return [`its timeout has passed: it fails, because ${status.lastError.message}`]
  if (changed?.[annotations.operation] === 'abort') return ['its timeout has passed: the landscaper requests an abort']
  if (after === undefined) return []
  const what =
    item.metadata.annotations?.[annotations.reconcileTime] === undefined ? 'it is not done' : 'no deployer picks it up'
  return [`if ${what}, the landscaper looks again in ${span(after)}`]
}
