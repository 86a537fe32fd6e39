/**
 * The end of a rollout that must not go on: the ledger says so and why, whether its way is taken back, and nothing moves any more.
 */
import type { Instant } from '../../runtime/clock.ts'
import { timeText } from '../ledger/ledger.ts'
import type { World } from '../observe/world.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { HookRecord, Ledger } from '../policy/types.ts'
import { strategyOf } from '../strategies/index.ts'
import { cancelHooks } from './cancel.ts'
import type { Decision, Write } from './decision.ts'
import { isUndoWanted } from './requests.ts'
import { statusWith } from './status.ts'
import { withUndo } from './undo.ts'

/** `writes` belong to the ledger and follow it. */
export function abort(
  world: World,
  { onAbort }: CompiledPolicy,
  ledger: Ledger,
  reason: string,
  now: Instant,
  writes: readonly Write[] = [],
): Decision {
  const { policy, workload } = world
  if (workload === undefined) return { writes: [], why: 'there is no workload' }
  const { waitingFor: _, ...rest } = ledger
  const isUndone = (onAbort === 'Undo' && ledger.undoOf === undefined) || isUndoWanted(world)
  const back = isUndone ? withUndo(world, rest) : rest
  const message = `aborted: ${reason}${consequence(isUndone, back)}`
  const rollout: Ledger = { ...back, phase: 'Aborted', message }
  const status = statusWith(policy, { state: 'stalled', reason: 'Aborted', message }, { rollout }, now)
  const freeze = strategyOf(workload).freeze(workload)
  const frozen: Write[] = freeze === undefined ? [] : [{ kind: 'workload', patch: freeze }]
  const event: Write = { kind: 'event', type: 'Warning', reason: 'RolloutAborted', message }
  return { writes: [{ kind: 'status', status }, ...writes, ...frozen, event], why: message }
}

function consequence(isUndone: boolean, { undo }: Ledger): string {
  if (!isUndone) return ''
  return undo === undefined ? '; there is no earlier revision to go back to' : `; back to ${undo.to}`
}

/** Somebody wants it to end: hooks that run are broken off. */
export function abortByHand(world: World, compiled: CompiledPolicy, ledger: Ledger, now: Instant): Decision {
  const cancelled = (record: HookRecord): HookRecord => ({
    ...record,
    state: 'Cancelled',
    endedAt: timeText(now),
    message: 'Aborted: somebody ended the rollout',
  })
  const hooks = ledger.hooks.map((record) => (record.state === 'Running' ? cancelled(record) : record))
  return abort(world, compiled, { ...ledger, hooks }, 'somebody wanted it', now, cancelHooks(world, ledger))
}
