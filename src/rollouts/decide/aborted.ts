/**
 * After an abort: the gate stays shut and the workload where it is. Hooks for the unhappy end run once, the native status is told, and
 * then everything waits for a new template or for somebody to try again.
 */
import type { Instant } from '../../runtime/clock.ts'
import { holdLabel } from '../labels.ts'
import { ended, historyWith } from '../ledger/ledger.ts'
import type { World } from '../observe/world.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { Ledger } from '../policy/types.ts'
import type { Deployment, Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'
import type { Decision, HookContext, Write } from './decision.ts'
import { stepGroup } from './hook-steps.ts'
import { statusWith } from './status.ts'

export function afterAbort(world: World, compiled: CompiledPolicy, ledger: Ledger, now: Instant): Decision {
  const { policy, workload, revisions } = world
  if (workload === undefined) return { writes: [], why: 'there is no workload' }
  const why = ledger.message ?? 'aborted'
  const freeze = strategyOf(workload).freeze(workload)
  if (freeze !== undefined) return { writes: [{ kind: 'workload', patch: freeze }], why }
  if (workload.kind === 'Deployment' && !isToldFailed(workload as Deployment)) {
    return { writes: [{ kind: 'workload-failed', message: why, at: now }], why }
  }
  const verdict = { state: 'stalled', reason: 'Aborted', message: why } as const
  const target = revisions.find(({ templateHash }) => templateHash === ledger.templateHash)
  const hooks = compiled.hooks.filter(
    ({ name, moment }) => moment.kind === 'aborted' && ledger.hooks.some((record) => record.name === name),
  )
  if (target !== undefined && hooks.length > 0) {
    const context: HookContext = {
      from: ledger.from,
      to: target.name,
      toUid: target.uid,
      toKind: target.kind,
      type: ledger.type,
      rollout: ledger.id,
    }
    const step = stepGroup(world, workload, ledger, hooks, context, now)
    const wakeAt = step.wakeAt === undefined ? {} : { wakeAt: step.wakeAt }
    if (step.ledger !== ledger) {
      const status: Write = { kind: 'status', status: statusWith(policy, verdict, { rollout: step.ledger }, now) }
      return { writes: [status, ...step.writes], why, ...wakeAt }
    }
    if (step.state === 'running') return { writes: step.writes, why, ...wakeAt }
  }
  const rollout = ended(ledger, 'Aborted', now, why)
  const history = historyWith(policy, rollout, compiled.historyLimit)
  return { writes: [{ kind: 'status', status: statusWith(policy, verdict, { rollout, history }, now) }], why }
}

/** Whether a Deployment that is held still says what became of an earlier rollout; native controllers leave it alone while it is paused. */
export function isStillToldFailed({ kind, metadata, ...rest }: Workload): boolean {
  const { spec } = rest as Deployment
  const isHeld = metadata.labels?.[holdLabel] !== undefined && spec.paused === true
  return kind === 'Deployment' && isHeld && isToldFailed(rest as Deployment)
}

function isToldFailed({ status }: Pick<Deployment, 'status'>): boolean {
  return (
    status?.conditions?.some(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded') ??
    false
  )
}
