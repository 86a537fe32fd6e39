/** What a person can do about a rollout as it is, in commands that can be pasted: only what is possible now, and nothing that is not needed. */
import { compilePolicy, type RolloutPolicy } from '../../rollouts/index.ts'
import { largest } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { asStarted } from '../program-name.ts'
import type { Display } from '../terminal/display.ts'
import { printableLine } from '../terminal/printable.ts'
import { displayWidth } from '../terminal/width.ts'
import type { Detail } from './detail/detail.ts'
import { isTroubled } from './detail/pod-state.ts'
import { conditionOf, isUnseen } from './state.ts'

export interface Advice {
  readonly command: string
  readonly meaning: string
}

export function adviceFor(detail: Detail): readonly Advice[] {
  const { policy, outcome } = detail
  if (outcome === 'going' && isUnseen(policy)) return [doctor]
  const { type, reason } = conditionOf(policy) ?? {}
  if (type === 'Stalled' && reason === 'GateMissing')
    return [{ command: 'carabiner install', meaning: 'install the gate' }, doctor]
  if (type === 'Stalled' && reason === 'Aborted') return isAborted(policy) ? afterAbort(detail) : []
  return [...approvals(policy), ...troubles(detail)]
}

/** After a rollout that is complete: what people look at, and the way back. */
export function adviceAfter(detail: Detail): readonly Advice[] {
  const { policy, outcome } = detail
  const { phase, hooks = [] } = policy.status?.rollout ?? {}
  if (outcome !== 'settled' || phase !== 'Complete') return adviceFor(detail)
  return [...(hooks.some(hasRun) ? [logs(policy)] : []), ...wayBack(detail)]
}

const doctor: Advice = { command: 'carabiner doctor', meaning: 'see whether an operator is at work' }

function afterAbort(detail: Detail): readonly Advice[] {
  const { policy, revisions } = detail
  const { hooks = [] } = policy.status?.rollout ?? {}
  return [...(hooks.some(hasRun) ? [logs(policy)] : []), ...waysOn(policy, revisions)]
}

/** On and back from a rollout that was aborted. */
export function waysOn(policy: RolloutPolicy, revisions: Detail['revisions'] = []): readonly Advice[] {
  const retry = { command: commandFor(policy, 'retry'), meaning: 'go on with it, once the cause is fixed' }
  return [retry, ...wayBack({ policy, revisions })]
}

/** Not where the revision or its template is gone, and not of a rollout that is a way back already. */
function wayBack({ policy, revisions }: Pick<Detail, 'policy' | 'revisions'>): readonly Advice[] {
  const { from, undoOf } = policy.status?.rollout ?? {}
  const isThere = revisions.length === 0 || revisions.some(({ name }) => name === from)
  if (from === undefined || undoOf !== undefined || !isThere) return []
  return [{ command: commandFor(policy, 'undo'), meaning: `go back to ${from}` }]
}

export function approvals(policy: RolloutPolicy): readonly Advice[] {
  const waiting = waitingApprovals(policy)
  return waiting.map((hook) => ({
    command: commandFor(policy, 'approve', waiting.length === 1 ? [] : [hook]),
    meaning: `let it pass ${hook}; --reject to refuse`,
  }))
}

/** The hooks that wait for an answer now. */
export function waitingApprovals({ spec, status }: RolloutPolicy): readonly string[] {
  const compiled = compilePolicy(spec)
  if ('problems' in compiled || status?.rollout === undefined || status.rollout.endedAt !== undefined) return []
  const asking = new Set(compiled.hooks.filter(({ action }) => action.kind === 'approval').map(({ name }) => name))
  return status.rollout.hooks
    .filter(({ name, state }) => state === 'Running' && asking.has(name))
    .map(({ name }) => name)
}

/** The first pod that needs a look: the others most often have the same reason. */
function troubles({ policy, outcome, pods, hookPods }: Detail): readonly Advice[] {
  const { to, hooks = [], type } = policy.status?.rollout ?? {}
  const running = new Set(hooks.filter(({ state }) => state === 'Running').map(({ name }) => name))
  const suspects = [
    ...hookPods.filter(({ hook }) => running.has(hook)),
    ...pods.filter(({ revision }) => revision === to),
  ]
  const [pod] = suspects.filter((one) => isTroubled(one) && !one.isReady)
  if (pod === undefined) return []
  const namespace = policy.metadata.namespace ?? 'default'
  const see = { command: `kubectl describe pod -n ${namespace} ${pod.name}`, meaning: `see why: ${pod.state}` }
  const abort = { command: commandFor(policy, 'abort'), meaning: 'end the rollout' }
  return [see, ...(outcome === 'going' && type !== undefined ? [abort] : [])]
}

function isAborted({ status }: RolloutPolicy): boolean {
  const { phase, endedAt, undo } = status?.rollout ?? {}
  return phase === 'Aborted' && endedAt !== undefined && undo === undefined
}

function hasRun({ attempts }: { readonly attempts: number }): boolean {
  return attempts > 0
}

function logs(policy: RolloutPolicy): Advice {
  return { command: commandFor(policy, 'logs'), meaning: 'see what its hooks said' }
}

function commandFor(
  { metadata: { namespace = 'default', name } }: RolloutPolicy,
  verb: string,
  more: readonly string[] = [],
): string {
  return ['carabiner', 'rollout', verb, '-n', namespace, name, ...more].join(' ')
}

/** As lines that a shell understands; a meaning that does not fit stands above its command. */
export function adviceText(
  title: string,
  advice: readonly Advice[],
  context: Pick<CliContext, 'programName'> & { readonly stdout: Display },
): string {
  if (advice.length === 0) return ''
  const { limit = Number.POSITIVE_INFINITY } = context.stdout
  const lines = advice.map(({ command, meaning }) => ({
    command: asStarted(printableLine(command), context),
    meaning: `# ${printableLine(meaning)}`,
  }))
  const width = largest(lines.map(({ command }) => displayWidth(command)))
  const isBeside = lines.every(({ meaning }) => 2 + width + 3 + displayWidth(meaning) <= limit)
  const text = lines.map(({ command, meaning }) =>
    isBeside ? `  ${command.padEnd(width)}   ${meaning}\n` : `  ${meaning}\n  ${command}\n`,
  )
  return `\n${title}:\n${text.join('')}`
}
