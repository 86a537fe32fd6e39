/**
 * After an abort the gate stays closed and the workload where it is. The failure is reported in the Deployment's own status, hooks for an abort
 * run once, and the end is recorded; then nothing happens until the template changes or the rollout is retried or undone.
 */
import type { Instant } from '../../runtime/index.ts'
import { ended, historyWith } from '../ledger/index.ts'
import { strategyOf } from '../strategies/index.ts'
import type { Proposal } from './decision.ts'
import { contextOf, stepGroup } from './hook-steps.ts'
import { isFailureReported } from './reported-failure.ts'
import { type SituationOf, verdictOf } from './situation.ts'
import { statusWith } from './status.ts'

type Aborting = SituationOf<'Aborting'>

export function decideAborting(situation: Aborting, now: Instant): Proposal {
  const { world, compiled, ledger } = situation
  const { policy, workload } = world
  const why = ledger.message ?? 'aborted'
  const freeze = strategyOf(workload).freeze(workload)
  if (freeze !== undefined) return { gate: { kind: 'workload', patch: freeze }, why }
  if (workload.kind === 'Deployment' && !isFailureReported(workload))
    return { gate: { kind: 'report-failed', message: why, at: now }, why }
  const hooks = runHooksForAbort(situation, why, now)
  if (hooks !== undefined) return hooks
  const rollout = ended(ledger, 'Aborted', now, why)
  const history = historyWith(policy, rollout, compiled.historyLimit)
  return { ledger: statusWith(policy, verdictOf('Aborting', why), { rollout, history }, now), why }
}

/** Undefined when all of them have ended, or there are none. */
function runHooksForAbort({ world, compiled, ledger }: Aborting, why: string, now: Instant): Proposal | undefined {
  const target = world.revisions.find(({ templateHash }) => templateHash === ledger.templateHash)
  const hooks = compiled.hooks.filter(
    ({ name, moment }) => moment.kind === 'aborted' && ledger.hooks.some((record) => record.name === name),
  )
  if (target === undefined || hooks.length === 0) return undefined
  const step = stepGroup({ world, ledger, context: contextOf(ledger, target), now }, hooks)
  const wakeAt = step.wakeAt === undefined ? {} : { wakeAt: step.wakeAt }
  if (step.ledger !== ledger) {
    const status = statusWith(world.policy, verdictOf('Aborting', why), { rollout: step.ledger }, now)
    return { ...step.phases, ledger: status, why, ...wakeAt }
  }
  return step.state === 'running' ? { ...step.phases, why, ...wakeAt } : undefined
}
