/** `carabiner rollout status`: where a rollout is and what became of its hooks; waits for its end when asked to. */
import { Command } from 'commander'
import type { RolloutPolicy } from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { exitCodes, type Outcome } from '../outcome.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions, readTimeout } from '../place.ts'
import type { Display } from '../terminal/display.ts'
import { type Format, type Listing, list, outputOption, readFormat, serialize } from '../terminal/listing.ts'
import { table } from '../terminal/table.ts'
import { adviceFor, shownMessage, shownState } from './advice.ts'
import { asAwaited, follow, isOver, look, lookAll, type Observed } from './follow.ts'
import { findPolicies, referenceHelp } from './policies.ts'
import { refusalsOf } from './refusals.ts'
import { waitingOn } from './waiting.ts'

interface StatusOptions extends PlaceOptions {
  readonly output?: string
  readonly wait?: boolean
  readonly timeout?: string
  readonly allNamespaces?: boolean
}

/** Of one namespace, or of all when none is named: then names mean nothing without it. */
export function statusListing(namespace: string | undefined): Listing<RolloutPolicy> {
  return {
    columns: [
      { head: 'namespace', of: ({ metadata }) => metadata.namespace ?? '', wide: namespace !== undefined },
      { head: 'policy', of: ({ metadata }) => metadata.name },
      { head: 'target', of: ({ spec: { targetRef } }) => `${targetRef.kind.toLowerCase()}/${targetRef.name}` },
      { head: 'state', of: (policy) => stateOf(policy) },
      { head: 'point', of: ({ status }) => status?.rollout?.point ?? '' },
      { head: 'waits for', of: ({ status }) => status?.rollout?.waitingFor ?? '' },
      { head: 'revision', of: ({ status }) => status?.rollout?.to ?? '', wide: true },
      { head: 'message', of: (policy) => messageOf(policy) ?? '', wide: true },
    ],
    name: nameOf,
    none: `there is no RolloutPolicy${namespace === undefined ? '' : ` in ${namespace}; -A lists those of all namespaces`}`,
  }
}

export function statusCommand(context: CliContext): Command {
  const status = new Command('status')
    .summary('Say where a rollout is, and wait for it')
    .description(
      'Says where a rollout is. Exits with 0 at rest, 1 when it is aborted or stalled, or was undone while the command waits for it, 3 while it is going. Without a name, lists all policies.',
    )
    .argument('[policy]', referenceHelp)
    .option('--wait', 'wait for the end')
    .option('--timeout <duration>', 'wait for the end, but not longer, for example 5m')
    .option('-A, --all-namespaces', 'list the policies of all namespaces')
    .addOption(outputOption())
  return placeOptions(status).action(async (reference: string | undefined, options: StatusOptions) => {
    const format = readFormat(options.output)
    const limit = options.timeout === undefined ? undefined : readTimeout(options.timeout)
    refuseHalves(reference, options)
    await inCluster(context, options, async (place) => {
      if (reference === undefined) {
        context.stdout.write(await listed(place, options.allNamespaces === true, format, context.stdout))
        return
      }
      const { policy, outcome } = await watched(context, place, reference, options.wait === true, limit)
      context.stdout.write(shown(policy, outcome, format, await refusalsOf(place, policy)))
      context.exit(exitCodes[outcome])
    })
  })
}

/** Programs read of each policy what they read of one that is named. */
export async function listed(place: Place, everywhere: boolean, format: Format, display: Display): Promise<string> {
  if (format === 'json' || format === 'yaml')
    return serialize((await lookAll(place, everywhere)).map(statusData), format)
  const policies = await findPolicies(place, everywhere)
  return list(policies, format, statusListing(everywhere ? undefined : place.namespace), display)
}

/** A list is not waited for, and a name means nothing in all namespaces: done silently, both would seem to have succeeded. */
function refuseHalves(reference: string | undefined, { wait, timeout, allNamespaces }: StatusOptions): void {
  if (reference === undefined && (wait === true || timeout !== undefined)) {
    const option = timeout === undefined ? '--wait' : '--timeout'
    throw new CarabinerError('CRB_USAGE', `${option} waits for one rollout: name its policy`)
  }
  if (reference !== undefined && allNamespaces === true) {
    throw new CarabinerError(
      'CRB_USAGE',
      `-A lists all policies: leave out ${reference}, or name its namespace with -n`,
    )
  }
}

async function watched(context: CliContext, place: Place, reference: string, wait: boolean, limit: number | undefined) {
  const seen = await look(place, reference)
  if (!wait && limit === undefined) return seen
  if (isOver(seen)) return asAwaited(seen)
  const over = new AbortController()
  const timer = limit === undefined ? undefined : context.runtime.clock.after(limit, () => over.abort())
  const waiting = waitingOn(context.stderr, context.runtime.clock)
  const say = ({ policy, outcome }: Observed) =>
    outcome === 'going' && waiting.say(isUnseen(policy) ? 'waits for the operator' : (messageOf(policy) ?? 'it begins'))
  try {
    const signal = AbortSignal.any([over.signal, context.signal])
    return asAwaited(await follow(place, context.runtime, seen, signal, say))
  } finally {
    waiting.stop()
    timer?.cancel()
  }
}

function shown(policy: RolloutPolicy, outcome: Outcome, format: Format, refusals: ReadonlyMap<string, string>): string {
  if (format === 'json' || format === 'yaml') return serialize(statusData({ policy, outcome }), format)
  return format === 'name' ? `${nameOf(policy)}\n` : statusText(policy, outcome, refusals)
}

export function statusData({ policy: { metadata, spec, status = {} }, outcome }: Observed) {
  const { name, namespace } = metadata
  return { policy: { name, namespace }, target: spec.targetRef, outcome, ...status }
}

export function statusText(
  policy: RolloutPolicy,
  outcome: Outcome,
  refusals: ReadonlyMap<string, string> = new Map(),
  display: Display = { isTerminal: false, columns: 80 },
): string {
  const { metadata, spec, status } = policy
  const ledger = status?.rollout
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['policy', `${metadata.namespace}/${metadata.name}`],
    ['target', `${spec.targetRef.kind} ${spec.targetRef.name}`],
    ['phase', phaseOf(policy, outcome)],
    ['rollout', ledger && `${ledger.type} ${ledger.id}`],
    ['from', ledger?.from],
    ['to', ledger?.to],
    ['instead', undoneIn(policy)],
    ['point', ledger?.point],
    ['waits for', ledger?.waitingFor],
    ['started', ledger?.startedAt],
    ['ended', ledger?.endedAt],
    [
      'message',
      outcome === 'going' && isUnseen(policy) ? 'waits for the operator, which has not seen it yet' : messageOf(policy),
    ],
  ]
  const lines = facts.filter(([, value]) => value !== undefined).map(([name, value]) => `${name.padEnd(9)}  ${value}\n`)
  const advice = outcome === 'going' && isUnseen(policy) ? whenUnseen : adviceFor(policy)
  if (ledger === undefined || ledger.hooks.length === 0) return `${lines.join('')}${advice}`
  const isOver = ledger.endedAt !== undefined
  const rows = ledger.hooks.map((hook) => [
    hook.name,
    hook.point,
    shownState(hook, isOver),
    String(hook.attempts),
    refusals.get(hook.name) ?? shownMessage(hook, isOver),
  ])
  return `${lines.join('')}\n${table(['hook', 'point', 'state', 'attempts', 'message'], rows, display)}${advice}`
}

/** Why the way goes back. */
function undoneIn({ status }: RolloutPolicy): string | undefined {
  const undone = status?.rollout?.undoOf
  if (undone === undefined) return undefined
  const { to, message } = status?.history?.find(({ id }) => id === undone) ?? {}
  return `of ${undone}${to === undefined ? '' : ` to ${to}`}${message === undefined ? '' : `, ${message}`}`
}

const whenUnseen = '\nIf this stays so:\n  carabiner doctor   see whether an operator is at work\n'

/** Something is to be done, and the operator still says that nothing is. */
function isUnseen({ status }: RolloutPolicy): boolean {
  return status?.conditions?.some(({ type, status: is }) => type !== 'Reconciling' && is === 'True') ?? true
}

/** Of a rollout that has not begun, or cannot, there is no ledger, only that of the one before. */
function phaseOf({ status }: RolloutPolicy, outcome: Outcome): string {
  const words = { settled: 'at rest', failed: 'stalled', going: 'starting' }
  const ledger = status?.rollout
  if (ledger === undefined) return words[outcome]
  const isStalled = status?.conditions?.some(({ type, status: is }) => type === 'Stalled' && is === 'True') ?? false
  const isOther = ledger.endedAt !== undefined && (outcome === 'going' || (isStalled && ledger.phase !== 'Aborted'))
  return isOther ? `${words[outcome]}; the last rollout: ${ledger.phase}` : ledger.phase
}

function nameOf({ metadata }: RolloutPolicy): string {
  return `rolloutpolicy.carabiner.dev/${metadata.name}`
}

/** At rest, and not what most people take that for. */
const hooksAreOff: ReadonlySet<string> = new Set(['Suspended', 'Released'])

/** In a word: the phase of a rollout, or what keeps the policy from having one. */
function stateOf({ status }: RolloutPolicy): string {
  const holding = status?.conditions?.find(({ status: is }) => is === 'True')
  if (holding?.type === 'Ready') return hooksAreOff.has(holding.reason) ? holding.reason : 'at rest'
  if (holding?.type === 'Stalled') return holding.reason
  return status?.rollout?.phase ?? holding?.reason ?? 'unknown'
}

function messageOf({ status }: RolloutPolicy): string | undefined {
  return status?.conditions?.find(({ status: is }) => is === 'True')?.message
}
