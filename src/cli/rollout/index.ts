/** `carabiner rollout`: what hooks will do, are doing and have done, and what people have to say about it. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { approveCommand } from './approve.ts'
import { historyCommand } from './history.ts'
import { planCommand } from './plan.ts'
import { retryCommand } from './retry.ts'
import { statusCommand } from './status.ts'

export function command(context: CliContext): Command {
  return new Command('rollout')
    .description('Rollouts of workloads that have a RolloutPolicy')
    .addCommand(planCommand(context))
    .addCommand(statusCommand(context))
    .addCommand(historyCommand(context))
    .addCommand(approveCommand(context))
    .addCommand(retryCommand(context))
}
