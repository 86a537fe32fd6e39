/** `carabiner sandbox`: only the cluster, for kubectl, helm and tests; and the commands for sandboxes that run. */
import { Command, Option } from 'commander'
import type { CliContext } from '../context.ts'
import { port, wholeNumber } from '../numbers.ts'
import { commandsNotice } from './commands-notice.ts'
import { kubeconfigCommand, listCommand, stopCommand } from './others.ts'
import { serveSandbox } from './serve.ts'

/** What `sandboxOptions` reads. */
export interface SandboxFlags {
  readonly name?: string
  readonly data?: string
  readonly port?: number
  readonly kubeconfig?: string
  readonly nodes: number
  readonly nodeMode: 'simulate' | 'process'
}

export function command(context: CliContext): Command {
  return sandboxOptions(new Command('sandbox'), 'simulate')
    .description(
      'Starts a cluster in this process: API server, controllers, scheduler and nodes. For trying and testing, on loopback only.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  carabiner sandbox &\n  export KUBECONFIG=$(carabiner sandbox kubeconfig)\n  kubectl get nodes\n',
    )
    .action((options: SandboxFlags) => serve(context, options))
    .addCommand(listCommand(context))
    .addCommand(kubeconfigCommand(context))
    .addCommand(stopCommand(context))
}

async function serve({ runtime, stdout, signal }: CliContext, options: SandboxFlags): Promise<void> {
  const served = await serveSandbox(runtime, { ...options, command: 'sandbox' })
  const { name, origin, kubeconfig } = served
  stdout.write(
    `sandbox is ready (for trying and testing): ${name}, ${origin}, ${options.nodes} nodes (${options.nodeMode}), KUBECONFIG=${kubeconfig}\n`,
  )
  const notice = commandsNotice(options)
  if (notice !== undefined) stdout.write(`${notice}\n`)
  await untilAborted(AbortSignal.any([signal, served.stopRequested]))
  await served.stop()
}

/**
 * The options of every command that starts a sandbox. `up` runs commands, so that its samples show what really happens; `sandbox` is a cluster
 * for any chart, and commands written for an image can do harm on a machine.
 */
export function sandboxOptions(command: Command, nodeMode: 'simulate' | 'process'): Command {
  return command
    .option('--name <name>', 'name of the sandbox (default: sandbox, or sandbox-2 and so on while others run)')
    .option('--data <folder>', 'keep the state in this folder (default: in memory, lost at the end)')
    .option(
      '--port <number>',
      'port of the API server; 0 takes any free port (default: 6443, or any free port if it is in use)',
      port,
    )
    .option('--kubeconfig <file>', 'path of the kubeconfig to write (default: ~/.carabiner/NAME.kubeconfig)')
    .option('--nodes <number>', 'number of nodes', wholeNumber(0), 3)
    .addOption(
      new Option('--node-mode <mode>', 'process runs the commands of containers on this machine; simulate runs nothing')
        .choices(['simulate', 'process'])
        .default(nodeMode),
    )
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
