/** `carabiner rollout`: what hooks will do, are doing and have done, and what people have to say about it. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { abortCommand } from './abort.ts'
import { approveCommand } from './approve.ts'
import { explainCommand } from './explain.ts'
import { getCommand } from './get.ts'
import { historyCommand } from './history.ts'
import { logsCommand } from './logs.ts'
import { planCommand } from './plan.ts'
import { retryCommand } from './retry.ts'
import { simulateCommand } from './simulate.ts'
import { statusCommand } from './status.ts'
import { undoCommand } from './undo.ts'
import { watchCommand } from './watch.ts'

export function command(context: CliContext): Command {
  return new Command('rollout')
    .description('Rollouts of workloads that have a RolloutPolicy')
    .addCommand(planCommand(context))
    .addCommand(simulateCommand(context))
    .addCommand(getCommand(context))
    .addCommand(statusCommand(context))
    .addCommand(explainCommand(context))
    .addCommand(watchCommand(context))
    .addCommand(logsCommand(context))
    .addCommand(historyCommand(context))
    .addCommand(approveCommand(context))
    .addCommand(retryCommand(context))
    .addCommand(abortCommand(context))
    .addCommand(undoCommand(context))
}
