/** The end of a rollout that must not go on: the ledger records why, and whether it is undone; the workload is frozen. */
import type { Instant } from '../../runtime/index.ts'
import { abortAnnotation, undoAnnotation } from '../labels.ts'
import { cancelHooks, cancelled } from '../ledger/index.ts'
import type { Ledger, RolloutPolicy } from '../policy/types.ts'
import { strategyOf } from '../strategies/index.ts'
import type { Proposal } from './decision.ts'
import type { HookPhases } from './hook-steps.ts'
import { isUndoRequested } from './requests.ts'
import { type RolloutScene, type SituationOf, verdictOf } from './situation.ts'
import { statusWith } from './status.ts'
import { withUndo } from './undo.ts'

type Aborted = Pick<RolloutScene, 'world' | 'compiled' | 'ledger'>

export function abort(
  { world, compiled: { onAbort }, ledger }: Aborted,
  reason: string,
  now: Instant,
  phases: Partial<HookPhases> = {},
): Proposal {
  const { policy, workload } = world
  const { waitingFor: _, ...rest } = ledger
  const isUndone = (onAbort === 'Undo' && ledger.undoOf === undefined) || isUndoRequested(world)
  const back = isUndone ? withUndo(world, rest) : rest
  const message = `aborted: ${reason}${isUndone ? wayBack(back) : ''}`
  const rollout: Ledger = { ...back, phase: 'Aborted', message }
  const freeze = strategyOf(workload).freeze(workload)
  return {
    ...phases,
    ledger: statusWith(policy, verdictOf('AbortRequested', message), { rollout }, now),
    finalEvents: [{ kind: 'event', type: 'Warning', reason: 'RolloutAborted', message }],
    ...(freeze === undefined ? {} : { gate: { kind: 'workload', patch: freeze } }),
    why: message,
  }
}

function wayBack({ undo }: Ledger): string {
  return undo === undefined ? '; there is no earlier revision to go back to' : `; back to ${undo.to}`
}

/** The annotation that requests the end. */
function requestIn({ metadata, status }: RolloutPolicy): string {
  return metadata.annotations?.[abortAnnotation] === status?.rollout?.id ? abortAnnotation : undoAnnotation
}

export function decideAbortRequested(
  { world, compiled, ledger }: SituationOf<'AbortRequested'>,
  now: Instant,
): Proposal {
  const hooks = ledger.hooks.map((record) =>
    record.state === 'Running'
      ? { ...cancelled(record, now), message: 'Aborted: the rollout was aborted by request' }
      : record,
  )
  return abort(
    { world, compiled, ledger: { ...ledger, hooks } },
    `by request (annotation ${requestIn(world.policy)})`,
    now,
    {
      cancel: cancelHooks(world.workload, ledger),
    },
  )
}
