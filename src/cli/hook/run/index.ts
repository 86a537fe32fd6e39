/** `carabiner hook run`: runs a hook once on files and shows what it would change in a cluster. */
import { Command } from 'commander'
import { type Hook, isHookName, ObjectPatcher } from '../../../addons/scripts/index.ts'
import { CarabinerError, type Logger } from '../../../runtime/index.ts'
import { type ClusterOptions, connectCluster } from '../../cluster.ts'
import type { CliContext } from '../../context.ts'
import { seconds } from '../../numbers.ts'
import { serialize } from '../../terminal/listing.ts'
import { paint } from '../../terminal/paint.ts'
import { printable } from '../../terminal/printable.ts'
import { type HookFolder, hookOf, inFolder } from '../folder.ts'
import { contextsOf } from './contexts.ts'
import { withOperatorChecks } from './operator-checks.ts'
import { asData, asText, type Report } from './report.ts'
import { type Trigger, type TriggerOptions, triggerOf } from './trigger.ts'

interface RunOptions extends ClusterOptions, TriggerOptions {
  readonly hooksDir: string
  readonly apply?: boolean
  readonly timeout?: number
  readonly output?: string
}

export function runCommand(context: CliContext): Command {
  return new Command('run')
    .description(
      'Runs one hook once on files and shows its output, patches and metrics. Nothing is changed in a cluster without --apply. Exits with 1 when the run failed.',
    )
    .argument('<hook>', 'name of the hook, as `hook list` shows it')
    .option('--hooks-dir <folder>', 'folder of hooks', 'hooks')
    .option('--event <what>', 'trigger: an object was added, modified or deleted')
    .option('--object <file>', 'with --event: the changed object')
    .option('--synchronization', 'trigger: the Synchronization of a kubernetes binding')
    .option('--objects <file>', 'the other objects of the cluster, for Synchronization and snapshots')
    .option('--startup', 'trigger: the operator has started')
    .option('--schedule [binding]', 'trigger: a schedule fires')
    .option('--binding <name>', 'name of the binding, when the hook has several')
    .option('--binding-context <file>', 'the complete binding contexts, a JSON or YAML array')
    .option('--timeout <seconds>', 'time limit of the run', seconds)
    .option('--apply', 'apply the patches to the cluster of the kubeconfig')
    .option('--kubeconfig <file>', 'with --apply: kubeconfig to use (default: KUBECONFIG, then ~/.kube/config)')
    .option('--context <name>', 'with --apply: context to use (default: the current context)')
    .option('-o, --output <format>', 'json or yaml')
    .action((name: string, options: RunOptions) => runOnce(context, name, options))
}

async function runOnce(context: CliContext, name: string, options: RunOptions): Promise<void> {
  const format = dataFormat(options.output)
  const timeout = options.timeout === undefined ? {} : { timeout: options.timeout * 1000 }
  const output: { readonly stream: string; readonly text: string }[] = []
  let isRunning = false
  const print = (stream: string, text: string) => {
    if (!isRunning) return
    output.push({ stream, text })
    if (format === undefined) context.stdout.write(`${paint(context.stdout).dim('|')} ${printable(text)}\n`)
  }
  const runtime = { ...context.runtime, log: outputLog(context.runtime.log, print) }
  const work = async (folder: HookFolder): Promise<Report> => {
    const hook = hookOf(folder, name)
    const trigger = triggerOf(hook, options)
    const contexts = await contextsOf(runtime, hook, trigger, options.objects)
    for (const note of notes(hook, trigger)) context.stderr.write(`${paint(context.stderr).yellow('note')} ${note}\n`)
    const binding = 'binding' in trigger ? trigger.binding.name : trigger.kind
    const log = { binding, queue: 'main', task: '1', event: trigger.kind }
    const run = async (): Promise<Report> => {
      isRunning = true
      const result = await folder.runner.run({ hook, contexts, log, signal: context.signal, ...timeout })
      return { hook: hook.name, result: withOperatorChecks(hook.name, result, contexts), output }
    }
    return options.apply ? applied(context, options, run) : run()
  }
  // Only this hook is loaded: another hook of the folder may be broken or slow.
  const isWanted = (known: string) => isHookName(known, name)
  const report = await inFolder({ runtime, folder: options.hooksDir, signal: context.signal, isWanted }, work)
  if (report.result.failure !== undefined || (report.applied?.problems.length ?? 0) > 0) context.exit(1)
  context.stdout.write(format === undefined ? asText(report, paint(context.stdout)) : serialize(asData(report), format))
}

/** Differences to the behaviour of the operator. */
function notes({ config }: Hook, trigger: Trigger): readonly string[] {
  if (trigger.kind === 'event' && !trigger.binding.executeHookOnEvent.includes(trigger.watchEvent))
    return [
      `the operator does not run the hook for ${trigger.watchEvent}: it is not in executeHookOnEvent of ${trigger.binding.name}`,
    ]
  if (trigger.kind === 'synchronization' && !trigger.binding.executeHookOnSynchronization)
    return [
      `the operator does not run the hook for the Synchronization: executeHookOnSynchronization of ${trigger.binding.name} is false`,
    ]
  return config.disabled ? ['the operator never runs the hook: it is disabled'] : []
}

/** Connects before the hook runs: when the cluster is not reachable, the hook must not have had effects of its own. */
async function applied(context: CliContext, options: RunOptions, run: () => Promise<Report>): Promise<Report> {
  const cluster = await connectCluster(context, options)
  try {
    const report = await run()
    const patcher = new ObjectPatcher(cluster.client, context.runtime)
    const problems = await patcher.apply(report.result.patches, context.signal)
    return { ...report, applied: { cluster: cluster.name, problems } }
  } finally {
    await cluster.close()
  }
}

/** Passes log lines with the field `output`, which are the output of the hook, to `print`. */
function outputLog(log: Logger, print: (stream: string, text: string) => void): Logger {
  return {
    debug: (message, fields) => log.debug(message, fields),
    warn: (message, fields) => log.warn(message, fields),
    error: (message, fields) => log.error(message, fields),
    info: (message, fields) => {
      const stream = fields?.['output']
      if (typeof stream === 'string') print(stream, message)
      else log.info(message, fields)
    },
    with: (fields) => outputLog(log.with(fields), print),
  }
}

function dataFormat(output: string | undefined): 'json' | 'yaml' | undefined {
  if (output === undefined || output === 'json' || output === 'yaml') return output
  throw new CarabinerError('CRB_USAGE', `-o ${output}: expected json or yaml`)
}
