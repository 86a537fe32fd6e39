/** `carabiner rollout history`: the rollouts that have ended, newest first, as far as the policy keeps them. */
import { Command } from 'commander'
import type { EndedRollout } from '../../rollouts/policy/types.ts'
import type { CliContext } from '../context.ts'
import { table } from '../terminal/table.ts'
import { findPolicy, inCluster, type PolicyOptions, policyOptions, referenceHelp, wantsJson } from './policies.ts'

export function historyCommand(context: CliContext): Command {
  const history = new Command('history')
    .description('Lists the rollouts that have ended, newest first.')
    .argument('<policy>', referenceHelp)
    .option('-o, --output <format>', 'json')
  return policyOptions(history).action(async (reference: string, options: PolicyOptions & { output?: string }) => {
    const json = wantsJson(options.output)
    await inCluster(context, options, async (place) => {
      const ended = (await findPolicy(place, reference)).status?.history ?? []
      context.stdout.write(json ? `${JSON.stringify(ended, null, 2)}\n` : historyText(ended))
    })
  })
}

export function historyText(history: readonly EndedRollout[]): string {
  if (history.length === 0) return 'no rollout has ended yet\n'
  const rows = history.map(({ id, type, phase, from = '', to, startedAt, endedAt, hooks, message = '' }) => [
    id,
    type,
    phase,
    from,
    to,
    startedAt,
    `${Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)} s`,
    hooks.map(({ name, state }) => `${name}=${state}`).join(','),
    message,
  ])
  return table(['rollout', 'type', 'phase', 'from', 'to', 'started', 'took', 'hooks', 'message'], rows)
}
