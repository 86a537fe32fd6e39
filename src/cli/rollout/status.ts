/** `carabiner rollout status`: where a rollout is and what became of its hooks; waits for its end when asked to. */
import { Command } from 'commander'
import { parseDuration } from '../../cron/duration.ts'
import type { RolloutPolicy } from '../../rollouts/policy/types.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import type { CliContext } from '../context.ts'
import { table } from '../terminal/table.ts'
import { follow, look } from './follow.ts'
import { exitCodes, type Outcome } from './outcome.ts'
import { inCluster, type PolicyOptions, policyOptions, referenceHelp, wantsJson } from './policies.ts'

interface StatusOptions extends PolicyOptions {
  readonly output?: string
  readonly wait?: boolean
  readonly timeout?: string
}

export function statusCommand(context: CliContext): Command {
  const status = new Command('status')
    .description('Says where a rollout is. Exits with 0 at rest, 1 when it is aborted or stalled, 3 while it is going.')
    .argument('<policy>', referenceHelp)
    .option('--wait', 'wait for the end')
    .option('--timeout <duration>', 'wait for the end, but not longer, for example 5m')
    .option('-o, --output <format>', 'json')
  return policyOptions(status).action(async (reference: string, options: StatusOptions) => {
    const json = wantsJson(options.output)
    const limit = options.timeout === undefined ? undefined : readTimeout(options.timeout)
    await inCluster(context, options, async (place) => {
      let seen = await look(place, reference)
      if (seen.outcome === 'going' && (options.wait === true || limit !== undefined)) {
        const over = new AbortController()
        const timer = limit === undefined ? undefined : context.runtime.clock.after(limit, () => over.abort())
        seen = await follow(place, context.runtime, seen, AbortSignal.any([over.signal, context.signal]))
        timer?.cancel()
      }
      const { policy, outcome } = seen
      context.stdout.write(
        json ? `${JSON.stringify(statusJson(policy, outcome), null, 2)}\n` : statusText(policy, outcome),
      )
      context.exit(exitCodes[outcome])
    })
  })
}

function readTimeout(text: string): number {
  const limit = parseDuration(text)
  if (limit !== undefined && limit > 0) return limit
  throw new CarabinerError('CRB_USAGE', `--timeout ${text}: expected a duration such as 90s or 5m`)
}

function statusJson({ metadata, spec, status = {} }: RolloutPolicy, outcome: Outcome) {
  const { name, namespace } = metadata
  return { policy: { name, namespace }, target: spec.targetRef, outcome, ...status }
}

export function statusText({ metadata, spec, status }: RolloutPolicy, outcome: Outcome): string {
  const ledger = status?.rollout
  const words = { settled: 'at rest', failed: 'stalled', going: 'starting' }
  const message = status?.conditions?.find(({ status: is }) => is === 'True')?.message
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['policy', `${metadata.namespace}/${metadata.name}`],
    ['target', `${spec.targetRef.kind} ${spec.targetRef.name}`],
    ['phase', ledger?.phase ?? words[outcome]],
    ['rollout', ledger && `${ledger.type} ${ledger.id}`],
    ['from', ledger?.from],
    ['to', ledger?.to],
    ['point', ledger?.point],
    ['waits for', ledger?.waitingFor],
    ['started', ledger?.startedAt],
    ['ended', ledger?.endedAt],
    ['message', message],
  ]
  const lines = facts.filter(([, value]) => value !== undefined).map(([name, value]) => `${name.padEnd(9)}  ${value}\n`)
  if (ledger === undefined || ledger.hooks.length === 0) return lines.join('')
  const rows = ledger.hooks.map(({ name, point, state, attempts, message: said = '' }) => [
    name,
    point,
    state,
    String(attempts),
    said,
  ])
  return `${lines.join('')}\n${table(['hook', 'point', 'state', 'attempts', 'message'], rows)}`
}
