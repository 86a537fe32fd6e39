/** `carabiner hook run`: one run of one hook on files, and what it would do to a cluster. */
import { Command } from 'commander'
import type { Hook } from '../../../addons/scripts/hook.ts'
import { isMeant } from '../../../addons/scripts/meant.ts'
import { ObjectPatcher } from '../../../addons/scripts/patches/patcher.ts'
import { CarabinerError } from '../../../runtime/errors.ts'
import type { Logger } from '../../../runtime/log.ts'
import { type ClusterOptions, connectCluster } from '../../cluster.ts'
import type { CliContext } from '../../context.ts'
import { seconds } from '../../numbers.ts'
import { serialize } from '../../terminal/listing.ts'
import { paint } from '../../terminal/paint.ts'
import { type HookFolder, hookOf, inFolder } from '../folder.ts'
import { contextsOf } from './contexts.ts'
import { judged } from './judge.ts'
import { asData, asText, type Report } from './report.ts'
import { type Wish, type WishOptions, wishOf } from './wishes.ts'

interface RunOptions extends Omit<ClusterOptions, 'context'>, WishOptions {
  readonly hooksDir: string
  readonly kubeContext?: string
  readonly apply?: boolean
  readonly timeout?: number
  readonly output?: string
}

export function runCommand(context: CliContext): Command {
  return new Command('run')
    .description(
      'Runs one hook once on files and shows what it printed, and the patches and metrics it asks for. Nothing is changed in a cluster without --apply. Exits with 1 when the run failed.',
    )
    .argument('<hook>', 'name of the hook, as `hook list` shows it')
    .option('--hooks-dir <folder>', 'folder of hooks', 'hooks')
    .option('--event <what>', 'an object was added, modified or deleted')
    .option('--object <file>', 'with --event: that object')
    .option('--synchronization', 'the first list of a kubernetes binding')
    .option('--objects <file>', 'what else is in the cluster: first lists and snapshots are made of it')
    .option('--startup', 'the operator has started')
    .option('--schedule [binding]', 'it is time')
    .option('--binding <name>', 'which binding, where the hook has several')
    .option('--context <file>', 'the binding contexts themselves, a JSON or YAML array')
    .option('--timeout <seconds>', 'how long the run may take', seconds)
    .option('--apply', 'make the patches on the cluster of the kubeconfig')
    .option('--kubeconfig <file>', 'with --apply: kubeconfig to use (default: KUBECONFIG, then ~/.kube/config)')
    .option('--kube-context <name>', 'with --apply: context to use (default: the current one)')
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
    if (format === undefined) context.stdout.write(`${paint(context.stdout).dim('|')} ${text}\n`)
  }
  const runtime = { ...context.runtime, log: outputLog(context.runtime.log, print) }
  const work = async (folder: HookFolder): Promise<Report> => {
    const hook = hookOf(folder, name)
    const wish = wishOf(hook, options)
    const contexts = await contextsOf(runtime, hook, wish, options.objects)
    for (const note of notes(hook, wish)) context.stderr.write(`${paint(context.stderr).yellow('note')} ${note}\n`)
    const binding = 'binding' in wish ? wish.binding.name : wish.kind
    const log = { binding, queue: 'main', task: '1', event: wish.kind }
    const run = async (): Promise<Report> => {
      isRunning = true
      const result = await folder.runner.run({ hook, contexts, log, signal: context.signal, ...timeout })
      return { hook: hook.name, result: judged(hook.name, result, contexts), output }
    }
    return options.apply ? applied(context, options, run) : run()
  }
  // What other hooks of the folder are up to is no concern of this run: one of them may be broken, or slow to tell.
  const report = await inFolder(runtime, options.hooksDir, context.signal, work, (known) => isMeant(known, name))
  if (report.result.failure !== undefined || (report.applied?.problems.length ?? 0) > 0) context.exit(1)
  context.stdout.write(format === undefined ? asText(report, paint(context.stdout)) : serialize(asData(report), format))
}

/** What is different in the operator. */
function notes({ config }: Hook, wish: Wish): readonly string[] {
  if (wish.kind === 'event' && !wish.binding.executeHookOnEvent.includes(wish.watchEvent))
    return [
      `the operator does not run it for ${wish.watchEvent}: executeHookOnEvent of ${wish.binding.name} leaves it out`,
    ]
  if (wish.kind === 'synchronization' && !wish.binding.executeHookOnSynchronization)
    return [
      `the operator does not run it for the first list: executeHookOnSynchronization of ${wish.binding.name} is false`,
    ]
  return config.disabled ? ['the operator never runs it: it is switched off'] : []
}

/** The cluster is looked for first: what a hook does itself is not undone when there is none. */
async function applied(
  context: CliContext,
  { kubeconfig, kubeContext }: RunOptions,
  run: () => Promise<Report>,
): Promise<Report> {
  const choice: ClusterOptions = {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(kubeContext === undefined ? {} : { context: kubeContext }),
  }
  const cluster = await connectCluster(context, choice)
  try {
    const report = await run()
    const patcher = new ObjectPatcher(cluster.client, context.runtime)
    const problems = await patcher.apply(report.result.patches, context.signal)
    return { ...report, applied: { cluster: cluster.name, problems } }
  } finally {
    await cluster.close()
  }
}

/** What the hook prints comes as log lines with the field `output`; everything else goes where it went. */
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
