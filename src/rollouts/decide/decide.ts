/**
 * The engine's one decision: from what is observed of a policy and its workload to what to do next. Pure, so that the same world always
 * gives the same answer, whoever asks and after whatever crash.
 */
import { canonicalJson } from '../../runtime/canonical-json.ts'
import type { Instant } from '../../runtime/clock.ts'
import { holdLabel, optInLabel, releaseLabel } from '../labels.ts'
import { ended, historyWith, isActive } from '../ledger/ledger.ts'
import { savedOf } from '../ledger/saved-fields.ts'
import type { World } from '../observe/world.ts'
import { compilePolicy } from '../policy/compile.ts'
import type { RolloutPolicy, RolloutPolicyStatus } from '../policy/types.ts'
import { strategyOf } from '../strategies/index.ts'
import { abortByHand } from './abort.ts'
import { afterAbort, isStillToldFailed } from './aborted.ts'
import { advance } from './advance.ts'
import { restShut } from './at-rest.ts'
import { begin } from './begin.ts'
import { cancelHooks } from './cancel.ts'
import type { Decision, Write } from './decision.ts'
import { leftovers } from './leftovers.ts'
import { obstacleOf } from './obstacles.ts'
import { isOfAnother, whyFormer, withFormerEnded, withoutFormer } from './previous-workload.ts'
import { isKept, optIn, release } from './release.ts'
import { isAbortWanted, isRetryWanted, isUndoWanted, retry, spentAnswers, undo } from './requests.ts'
import { annotationWrites } from './revision-annotations.ts'
import { statusWith, type Verdict } from './status.ts'
import { takeBack } from './undo.ts'
import { withSight } from './visibility.ts'

export function decide(found: World, now: Instant): Decision {
  const world = withoutFormer(found)
  if (isBehind(world)) return { writes: [], why: 'the workload is not yet seen as the ledger knows it' }
  const { writes, ...decision } = decideNext(world, now)
  const main = withSight(world, [...writes.map((write) => withSeen(world, write)), ...gateChange(world, writes)])
  const tidying = leftovers(world)
  // Once nothing keeps the policy any more, nobody knows what it has left behind.
  const isEnding = world.policy.metadata.deletionTimestamp !== undefined
  return {
    ...decision,
    writes: [...(isEnding ? [...tidying, ...main] : [...main, ...tidying]), ...spentAnswers(world)],
  }
}

/** Another gate than before is told even when there is nothing else to tell. */
function gateChange({ policy: { status }, gate }: World, writes: readonly Write[]): readonly Write[] {
  if (status === undefined || status.gate === gate.kind || writes.some(({ kind }) => kind === 'status')) return []
  return writes.length > 0 ? [] : [{ kind: 'status', status: { ...status, gate: gate.kind } }]
}

/** Caches do not wait for each other: an engine that has just come may know the ledger and not the template it is about. */
function isBehind({ policy, workload }: World): boolean {
  const seen = policy.status?.rollout?.workload
  if (seen === undefined || workload?.metadata.uid !== seen.uid) return false
  return (workload.metadata.generation ?? 0) < seen.generation
}

function withSeen({ workload, gate: { kind: gate } }: World, write: Write): Write {
  if (write.kind !== 'status') return write
  const { rollout } = write.status
  if (rollout === undefined || workload === undefined) return { ...write, status: { ...write.status, gate } }
  const { uid = '', generation = 0 } = workload.metadata
  return { ...write, status: { ...write.status, gate, rollout: { ...rollout, workload: { uid, generation } } } }
}

function decideNext(world: World, now: Instant): Decision {
  const { policy, workload } = world
  if (policy.metadata.deletionTimestamp !== undefined) return release(world)
  const { kind, name } = policy.spec.targetRef
  const { problem } = world.gate
  if (problem !== undefined)
    return settle(policy, stalled('GateMissing', `nothing holds rollouts back: ${problem}; run carabiner install`), now)
  const compiled = compilePolicy(policy.spec)
  if ('problems' in compiled) {
    return settle(
      policy,
      stalled('InvalidPolicy', compiled.problems.map(({ field, message }) => `${field}: ${message}`).join('; ')),
      now,
    )
  }
  if (workload === undefined) {
    const message = `there is no ${kind} ${name} in namespace ${policy.metadata.namespace}`
    return settle(policy, stalled('TargetNotFound', message), now)
  }
  const labels = workload.metadata.labels ?? {}
  const ledger = policy.status?.rollout
  const hold = labels[holdLabel]
  const isReleased = labels[releaseLabel] === 'true'
  const obstacle = obstacleOf(world, compiled, workload)
  if (obstacle !== undefined) {
    // Who breaks the glass is not to be kept waiting by what is wrong with the policy.
    const isLetGo = hold !== undefined && labels[optInLabel] === policy.metadata.name && isReleased
    if (!isLetGo) return settle(policy, obstacle, now)
    return isActive(ledger) ? abandon(world, now, 'released by hand') : letGo(world)
  }
  // The label may stand in the manifest already.
  if (labels[optInLabel] !== policy.metadata.name || !isKept(policy)) return optIn(world)
  const { templateHash: hash = '' } = world
  if (isActive(ledger) && (isReleased || policy.spec.suspend))
    return abandon(world, now, isReleased ? 'released by hand' : 'the policy is suspended')
  const isAnew = isActive(ledger) && isOfAnother(ledger, workload)
  if (isActive(ledger) && ledger.templateHash === hash && !isAnew) {
    if (isAbortWanted(policy)) return abortByHand(world, compiled, ledger, now)
    if (ledger.phase !== 'Aborted' && isStillToldFailed(workload))
      return { writes: [{ kind: 'workload-not-failed', at: now }], why: 'what failed before does not count any more' }
    const proceed = ledger.phase === 'Aborted' ? afterAbort : advance
    const { writes, ...decision } = proceed(world, compiled, ledger, now)
    const told = writes.find((write) => write.kind === 'status')?.status.rollout ?? ledger
    return { ...decision, writes: [...annotationWrites(world, compiled, told), ...writes] }
  }
  if (ledger?.templateHash === hash && !isReleased && policy.spec.suspend !== true) {
    if (isRetryWanted(policy)) return retry(policy, compiled, ledger, now)
    if (isUndoWanted(world)) return undo(world, ledger, now)
    if (ledger.undo !== undefined) return takeBack(world, ledger)
  }
  const restsShut = world.gate.kind === 'at-rest' && !isActive(ledger) && !isReleased && policy.spec.suspend !== true
  const resting = restsShut && (hold === undefined || hold === 'gate') ? restShut(world, hash) : undefined
  if (resting !== undefined) {
    if (resting.patch === undefined) return rest(world, undefined, now)
    return { writes: [{ kind: 'workload', patch: resting.patch }], why: 'the gate is shut until a template changes' }
  }
  if (hold === undefined) {
    const why = isAnew ? whyFormer(policy) : 'the gate was opened by somebody else'
    return rest(world, isActive(ledger) ? why : undefined, now)
  }
  if (hold === 'user-paused')
    return settle(
      policy,
      {
        state: 'reconciling',
        reason: 'PausedByOwner',
        message: `its owner has paused it; hooks begin with: kubectl rollout resume -n ${policy.metadata.namespace} deployment/${name}`,
      },
      now,
    )
  if (policy.spec.suspend || isReleased) return letGo(world)
  if (ledger?.phase === 'Aborted' && ledger.templateHash === hash) return rest(world, undefined, now)
  return begin(isAnew ? withFormerEnded(world, ledger, compiled.historyLimit, now) : world, compiled, hash, now)
}

function stalled(reason: string, message: string): Verdict {
  return { state: 'stalled', reason, message }
}

/** `whyOver` when a rollout was under way and can be no longer. */
function rest(world: World, whyOver: string | undefined, now: Instant): Decision {
  const { policy } = world
  const ledger = policy.status?.rollout
  const aborted = ledger?.phase === 'Aborted'
  if (whyOver !== undefined && ledger !== undefined) {
    const over = ended(ledger, 'Cancelled', now, whyOver)
    const history = historyWith(policy, over, policy.spec.historyLimit ?? 5)
    return settle(policy, { state: 'ready', reason: 'Cancelled', message: over.message ?? '' }, now, {
      rollout: over,
      history,
    })
  }
  if (aborted) return settle(policy, stalled('Aborted', ledger?.message ?? 'a hook failed'), now)
  const off = hooksOff(world)
  if (off !== undefined) return settle(policy, off, now)
  // What made it ready is worth more than that nothing happened since.
  if (isReady(policy)) return { writes: [], why: 'no rollout is under way' }
  return settle(policy, { state: 'ready', reason: 'AtRest', message: 'no rollout is under way' }, now)
}

/** Why rollouts pass without hooks, so that nobody believes they had run. */
function hooksOff({ policy: { spec }, workload }: World): Verdict | undefined {
  if (spec.suspend === true)
    return { state: 'ready', reason: 'Suspended', message: 'the policy is suspended: rollouts pass without hooks' }
  if (workload?.metadata.labels?.[releaseLabel] !== 'true') return undefined
  const { kind, name } = spec.targetRef
  const message = `${kind} ${name} has label ${releaseLabel}=true: rollouts pass without hooks`
  return { state: 'ready', reason: 'Released', message }
}

function isReady({ metadata, status }: RolloutPolicy): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.reason === 'Released' || ready?.reason === 'Suspended') return false
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation
}

/** Writes a status only when it says something new. */
function settle(
  policy: RolloutPolicy,
  verdict: Verdict,
  now: Instant,
  change: Pick<RolloutPolicyStatus, 'rollout' | 'history'> = {},
): Decision {
  const status = statusWith(policy, verdict, change, now)
  const isNews = canonicalJson(status) !== canonicalJson(policy.status ?? {})
  return { writes: isNews ? [{ kind: 'status', status }] : [], why: verdict.message }
}

/** Gives up a rollout and leaves the workload to its native controller. */
function abandon(world: World, now: Instant, message: string): Decision {
  const { policy } = world
  const ledger = policy.status?.rollout
  if (ledger === undefined) return { writes: [], why: message }
  const over = ended(ledger, 'Cancelled', now, message)
  const history = historyWith(policy, over, policy.spec.historyLimit ?? 5)
  const status = statusWith(policy, { state: 'ready', reason: 'Cancelled', message }, { rollout: over, history }, now)
  return { writes: [...cancelHooks(world, ledger), ...letGo(world).writes, { kind: 'status', status }], why: message }
}

function letGo({ policy, workload }: World): Decision {
  if (workload === undefined) return { writes: [], why: 'there is nothing to let go' }
  const patch = strategyOf(workload).open(savedOf(policy, workload))
  const write: Write = { kind: 'workload', patch }
  return { writes: [write], why: 'the gate is opened without hooks' }
}
