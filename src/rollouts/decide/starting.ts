/**
 * The first decision about a new template: what type of rollout it is, where it comes from, and the ledger that is written before anything is
 * touched. Or there is nothing to roll out, because the template is that of the pods again.
 */
import type { Instant } from '../../runtime/index.ts'
import { cancelHooks, ended, historyWith, isWayBack, savedOf, timeText, typeOf, wordOf } from '../ledger/index.ts'
import { type CompiledPolicy, showMoment } from '../policy/compile.ts'
import type { EndedRollout, HookRecord, Ledger } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'
import type { CancelHook, EventWrite, Proposal } from './decision.ts'
import { stableRevision } from './lineage.ts'
import { type NewTemplate, verdictOf } from './situation.ts'
import { statusWith } from './status.ts'

export interface Start {
  readonly proposal: Proposal
  readonly ledger: Ledger
}

export function decideStarting(template: NewTemplate, now: Instant): Start {
  const { policy } = template.world
  const history = historyOf(template, now)
  const ledger = firstLedger(template, history, now)
  const message = `${wordOf(ledger)} to ${ledger.to} begins`
  const event: EventWrite = { kind: 'event', type: 'Normal', reason: 'RolloutStarted', message, isRoutine: true }
  const proposal: Proposal = {
    ledger: statusWith(policy, verdictOf('Starting', message), { rollout: ledger, history }, now),
    events: [event],
    cancel: cancelsOf(template),
    why: message,
  }
  return { proposal, ledger }
}

/** Hooks before the first pod start at once, so that one write of the ledger records both; nothing else is done in the same decision. */
export function withFirstHooks(proposal: Proposal, first: Proposal): Proposal {
  const { ledger, create, start = [], events = [] } = first
  const others = [first.gone, first.cancel, first.remove, first.pods].some(
    (writes) => writes !== undefined && writes.length > 0,
  )
  if (ledger === undefined || first.gate !== undefined || others) return proposal
  return {
    ...proposal,
    ledger,
    events: [...(proposal.events ?? []), ...events],
    start,
    ...(create === undefined ? {} : { create }),
  }
}

export function decideReverted(template: NewTemplate, now: Instant): Proposal {
  const { policy, workload } = template.world
  const message = 'the template is that of the pods that run'
  const history = historyOf(template, now)
  const { rollout: _, ...status } = statusWith(policy, verdictOf('Reverted', message), { history }, now)
  const patch = strategyOf(workload).open(savedOf(policy.status?.rollout, workload))
  return { cancel: cancelsOf(template), gate: { kind: 'workload', patch }, finalLedger: status, why: message }
}

/** With the rollout that the template ends. */
function historyOf({ world, compiled, superseded }: NewTemplate, now: Instant): readonly EndedRollout[] {
  const { policy } = world
  if (superseded === undefined) return policy.status?.history ?? []
  return historyWith(policy, ended(superseded, 'Cancelled', now, 'a newer template came'), compiled.historyLimit)
}

function cancelsOf({ world, superseded }: NewTemplate): readonly CancelHook[] {
  return superseded === undefined ? [] : cancelHooks(world.workload, superseded)
}

function firstLedger(template: NewTemplate, history: readonly EndedRollout[], now: Instant): Ledger {
  const { world, compiled, id, target, hasMoved, undoOf } = template
  const { policy, workload, revisions, templateHash, hashWithoutRestart } = world
  const before = policy.status?.rollout
  const isBack = isWayBack(before, target)
  const undone = revisions.find(({ name }) => (isBack || undoOf !== undefined) && name === before?.to)
  const stable = stableRevision(world, target)
  const from = isBack ? (undone ?? stable) : (stable ?? undone)
  const identity = { templateHash, ...(hashWithoutRestart === undefined ? {} : { hashWithoutRestart }) }
  const type = typeOf({ template: identity, target, from, before, history })
  const taken = undoOf ?? (isBack ? before?.id : undefined)
  return {
    id,
    type,
    phase: 'Pending',
    ...(from === undefined ? {} : { from: from.name }),
    to: target?.name ?? revisionName(workload, templateHash),
    templateHash,
    startedAt: timeText(now),
    saved: savedOf(before, workload),
    ...(taken === undefined ? {} : { undoOf: taken }),
    ...(hasMoved ? { moved: true } : {}),
    // Where no pod has changed, hooks have nothing to undo.
    hooks: template.isReverted
      ? []
      : compiled.hooks.filter(({ rolloutTypes }) => rolloutTypes.includes(type)).map(recordOf),
  }
}

function recordOf({ name, moment }: CompiledPolicy['hooks'][number]): HookRecord {
  return { name, point: showMoment(moment), state: 'Pending', attempts: 0 }
}

/** Similar to the names that the native controller gives; any name would do. */
function revisionName({ metadata }: Workload, hash: string): string {
  return `${metadata.name}-${hash.slice(0, 10)}`
}
