/** `shell-operator hook`: only the commands for a running operator. Those for folders would load the sandbox, which takes memory. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { snapshotCommand } from '../hook/snapshot.ts'
import { askSocket, formatOption, type SocketOptions, socketOption } from '../socket.ts'

export function hookCommand(context: CliContext): Command {
  const list = new Command('list')
    .description('Lists the hooks of a running operator and what they bind to.')
    .addOption(formatOption())
    .action(async (options: SocketOptions & { output: string }) => {
      context.stdout.write(await askSocket(context, options, `/hook/list.${options.output}`))
    })
  return new Command('hook')
    .description('Hooks of a running operator')
    .addCommand(socketOption(list))
    .addCommand(snapshotCommand(context))
}
