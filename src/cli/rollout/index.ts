/** `carabiner rollout`: what hooks will do, are doing and have done. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { historyCommand } from './history.ts'
import { planCommand } from './plan.ts'
import { statusCommand } from './status.ts'

export function command(context: CliContext): Command {
  return new Command('rollout')
    .description('Rollouts of workloads that have a RolloutPolicy')
    .addCommand(planCommand(context))
    .addCommand(statusCommand(context))
    .addCommand(historyCommand(context))
}
