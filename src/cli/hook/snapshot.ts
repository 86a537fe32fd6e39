/** `carabiner hook snapshot`: the current snapshots of a hook in a running operator. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { askSocket, formatOption, type SocketOptions, socketOption } from '../socket.ts'

export function snapshotCommand(context: CliContext): Command {
  const snapshot = new Command('snapshot')
    .description('Shows the current snapshots of the kubernetes bindings of a hook in a running operator.')
    .argument('<hook>', 'name of the hook, as `hook list` shows it')
    .addOption(formatOption())
    .action(async (hook: string, options: SocketOptions & { output: string }) => {
      const name = hook.split('/').map(encodeURIComponent).join('/')
      context.stdout.write(await askSocket(context, options, `/hook/${name}/snapshots.${options.output}`))
    })
  return socketOption(snapshot)
}
