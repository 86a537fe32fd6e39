/** `carabiner sandbox`: only the cluster, for kubectl, helm and tests. */
import { Command, Option } from 'commander'
import type { CliContext } from '../context.ts'
import { port, wholeNumber } from '../numbers.ts'
import { commandsNotice } from './commands-notice.ts'
import { serveSandbox } from './serve.ts'

interface Options {
  readonly port: number
  readonly kubeconfig?: string
  readonly nodes: number
  readonly nodeMode: 'simulate' | 'process'
}

export function command(context: CliContext): Command {
  return sandboxOptions(new Command('sandbox'), 'simulate')
    .description(
      'Starts a cluster in this process: API server, controllers, scheduler and nodes. For trying and testing, on loopback only; nothing is kept when it ends.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  carabiner sandbox --port 0 --kubeconfig /tmp/kubeconfig &\n  KUBECONFIG=/tmp/kubeconfig kubectl get nodes\n',
    )
    .action(async (options: Options) => {
      const served = await serveSandbox(context.runtime, options)
      context.stdout.write(
        `sandbox is ready (for trying and testing): ${served.origin}, ${options.nodes} nodes (${options.nodeMode}), KUBECONFIG=${served.kubeconfig}\n`,
      )
      const notice = commandsNotice(options)
      if (notice !== undefined) context.stdout.write(`${notice}\n`)
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }))
      await served.stop()
    })
}

/**
 * The options of every command that starts a sandbox. `up` runs commands, so that its samples show what really happens; `sandbox` is a cluster
 * for any chart, and commands written for an image can do harm on a machine.
 */
export function sandboxOptions(command: Command, nodeMode: 'simulate' | 'process'): Command {
  return command
    .option('--port <number>', 'port of the API server; 0 takes any free port', port, 6443)
    .option('--kubeconfig <file>', 'path of the kubeconfig to write (default: ~/.carabiner/sandbox.kubeconfig)')
    .option('--nodes <number>', 'number of nodes', wholeNumber(0), 3)
    .addOption(
      new Option('--node-mode <mode>', 'process runs the commands of containers on this machine; simulate runs nothing')
        .choices(['simulate', 'process'])
        .default(nodeMode),
    )
}
