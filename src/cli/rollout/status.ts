/** `carabiner rollout status`: where a rollout is and what became of its hooks; waits for its end when asked to. */
import { Command } from 'commander'
import type { RolloutPolicy } from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../outcome.ts'
import { inCluster, type Place, type PlaceOptions, placeOptions, readTimeout } from '../place.ts'
import type { Display } from '../terminal/display.ts'
import { type Format, type Listing, list, outputOption, readFormat, serialize } from '../terminal/listing.ts'
import { paint } from '../terminal/paint.ts'
import { printableLine } from '../terminal/printable.ts'
import { detailOf } from './detail/detail.ts'
import { failedLogOf } from './detail/failed-log.ts'
import { asAwaited, follow, isOver, look, lookAll, type Observed } from './follow.ts'
import { findPolicies, referenceHelp } from './policies.ts'
import { isUnseen, messageOf, stateColour, stateOf } from './state.ts'
import { statusText } from './status-text.ts'
import { waitingOn } from './waiting.ts'

interface StatusOptions extends PlaceOptions {
  readonly output?: string
  readonly wait?: boolean
  readonly timeout?: string
  readonly allNamespaces?: boolean
}

/** Of one namespace, or of all when none is named: then names mean nothing without it. */
export function statusListing(namespace: string | undefined, display: Display): Listing<RolloutPolicy> {
  const colour = paint(display)
  return {
    columns: [
      { head: 'namespace', of: ({ metadata }) => metadata.namespace ?? '', wide: namespace !== undefined },
      { head: 'policy', of: ({ metadata }) => metadata.name },
      { head: 'target', of: ({ spec: { targetRef } }) => `${targetRef.kind.toLowerCase()}/${targetRef.name}` },
      { head: 'state', of: (policy) => ({ text: stateOf(policy), paint: stateColour(policy, colour) }) },
      { head: 'point', of: ({ status }) => openRollout(status)?.point ?? '' },
      { head: 'waits for', of: ({ status }) => openRollout(status)?.waitingFor ?? '' },
      { head: 'revision', of: ({ status }) => status?.rollout?.to ?? '', wide: true },
      { head: 'message', of: (policy) => messageOf(policy) ?? '', wide: true },
    ],
    name: nameOf,
    none: `there is no RolloutPolicy${namespace === undefined ? '' : ` in ${namespace}; -A lists those of all namespaces`}`,
  }
}

function openRollout(status: RolloutPolicy['status']) {
  return status?.rollout?.endedAt === undefined ? status?.rollout : undefined
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
      const isAwaited = options.wait === true || limit !== undefined
      const seen = await look(place, reference)
      const observed = isAwaited ? await awaited(context, place, seen, limit) : seen
      context.stdout.write(await shown(context, place, observed, format))
      context.exit(exitCodes[observed.outcome])
    })
  })
}

/** Programs read of each policy what they read of one that is named. */
export async function listed(place: Place, everywhere: boolean, format: Format, display: Display): Promise<string> {
  if (format === 'json' || format === 'yaml')
    return serialize((await lookAll(place, everywhere)).map(statusData), format)
  const policies = await findPolicies(place, everywhere)
  return list(policies, format, statusListing(everywhere ? undefined : place.namespace, display), display)
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

async function awaited(
  context: CliContext,
  place: Place,
  seen: Observed,
  limit: number | undefined,
): Promise<Observed> {
  if (isOver(seen)) return asAwaited(seen)
  const { clock } = context.runtime
  const over = new AbortController()
  const timer = limit === undefined ? undefined : clock.after(limit, () => over.abort())
  const waiting = waitingOn(context.stderr, clock)
  const say = ({ policy, outcome }: Observed) => {
    const message = isUnseen(policy) ? 'waits for the operator' : (messageOf(policy) ?? 'it begins')
    if (outcome === 'going') waiting.say(printableLine(message))
  }
  try {
    const signal = AbortSignal.any([over.signal, context.signal])
    return asAwaited(await follow(place, context.runtime, seen, { signal, seen: say }))
  } finally {
    waiting.stop()
    timer?.cancel()
  }
}

async function shown(context: CliContext, place: Place, observed: Observed, format: Format): Promise<string> {
  if (format === 'json' || format === 'yaml') return serialize(statusData(observed), format)
  if (format === 'name') return `${nameOf(observed.policy)}\n`
  const [known, failedLog] = await Promise.all([detailOf(place, observed.policy), failedLogOf(place, observed.policy)])
  const detail = { ...known, outcome: observed.outcome, ...(failedLog === undefined ? {} : { failedLog }) }
  const display = format === 'wide' ? { ...context.stdout, limit: Number.POSITIVE_INFINITY } : context.stdout
  return statusText(detail, context.runtime.clock.now(), { programName: context.programName, stdout: display })
}

export function statusData({ policy: { metadata, spec, status = {} }, outcome }: Observed) {
  const { name, namespace } = metadata
  return { policy: { name, namespace }, target: spec.targetRef, outcome, ...status }
}

function nameOf({ metadata }: RolloutPolicy): string {
  return `rolloutpolicy.carabiner.dev/${metadata.name}`
}
