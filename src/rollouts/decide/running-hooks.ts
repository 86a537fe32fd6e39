/** At a point: its hooks start, are observed and judged. One that fails aborts the rollout, unless its policy says otherwise. */
import type { Instant } from '../../runtime/index.ts'
import { isSettled } from '../ledger/index.ts'
import type { Ledger } from '../policy/types.ts'
import { abort } from './abort.ts'
import type { Proposal } from './decision.ts'
import { contextOf, stepGroup } from './hook-steps.ts'
import { rolloutStatus } from './rollout-status.ts'
import type { RolloutScene, SituationOf } from './situation.ts'
import { isCreatedHidden } from './visibility.ts'

export interface HooksStep {
  readonly proposal: Proposal
  /** The ledger in which every hook of the point has passed: what follows is decided with it. */
  readonly passed?: Ledger
}

export function runHooks(
  { scene, group }: Pick<SituationOf<'RunningHooks'>, 'scene' | 'group'>,
  now: Instant,
): HooksStep {
  const { world, ledger, target } = scene
  const step = stepGroup({ world, ledger, context: contextOf(ledger, target), now }, group.hooks)
  if (step.state === 'failed') {
    const broken = step.ledger.hooks.filter(({ state }) => state === 'Failed')
    const reason = broken.map(({ name, message }) => `hook ${name}: ${message ?? 'failed'}`).join('; ')
    return { proposal: abort({ ...scene, ledger: step.ledger }, reason, now, step.phases) }
  }
  const unsettled = group.hooks.filter((hook) =>
    step.ledger.hooks.some((record) => record.name === hook.name && !isSettled(record)),
  )
  const waitingFor = unsettled.map(({ name }) => name).join(', ')
  const why = waitingFor === '' ? `all hooks at ${group.name} have passed` : `at ${group.name}: waits for ${waitingFor}`
  const phase = ledger.phase === 'Pending' && group.pods > 0 ? 'Progressing' : ledger.phase
  const { waitingFor: _, ...rest } = step.ledger
  const next: Ledger = { ...rest, phase, point: group.name, ...(waitingFor === '' ? {} : { waitingFor }) }
  const hasPassed = waitingFor === ''
  const isNews = step.ledger !== ledger || ledger.point !== group.name || (ledger.waitingFor ?? '') !== waitingFor
  const wakeAt = step.wakeAt === undefined || hasPassed ? {} : { wakeAt: step.wakeAt }
  const proposal: Proposal = {
    ...step.phases,
    ...(isNews || hasPassed ? { ledger: rolloutStatus(scene, next, why) } : {}),
    ...wakeAt,
    why,
  }
  return hasPassed ? { proposal, passed: next } : { proposal }
}

/** What follows the last hook of a point is part of the same decision, so that one write of the ledger records both. */
export function withNext({ proposal }: HooksStep, next: Proposal): Proposal {
  const ledger = next.ledger ?? proposal.ledger
  return {
    ...next,
    ...(ledger === undefined ? {} : { ledger }),
    gone: [...(proposal.gone ?? []), ...(next.gone ?? [])],
    events: [...(proposal.events ?? []), ...(next.events ?? [])],
    cancel: [...(proposal.cancel ?? []), ...(next.cancel ?? [])],
    remove: [...(proposal.remove ?? []), ...(next.remove ?? [])],
    start: [...(proposal.start ?? []), ...(next.start ?? [])],
  }
}

/** A paused Deployment does not create its ReplicaSet, and hooks name it. Hooks before the first pod start with it. */
export function decideCreatingRevision({ scene, group }: SituationOf<'CreatingRevision'>, now: Instant): Proposal {
  const isBeforePods = group !== undefined && group.moment.kind !== 'post' && group.pods === 0
  const isHidden = isBeforePods && isCreatedHidden(scene.world)
  const create = {
    kind: 'create-revision',
    name: scene.ledger.to,
    ...(isHidden ? { isHidden: true as const } : {}),
  } as const
  if (group === undefined || !startsWithRevision(scene, group)) return { create, why: 'the new revision is made' }
  return { ...runHooks({ scene, group }, now).proposal, create }
}

function startsWithRevision(
  { ledger }: RolloutScene,
  { moment, pods, hooks }: SituationOf<'RunningHooks'>['group'],
): boolean {
  const isPending = ({ name }: { readonly name: string }) =>
    ledger.hooks.some((record) => record.name === name && record.state === 'Pending')
  return moment.kind === 'progress' && pods === 0 && hooks.every(isPending)
}
