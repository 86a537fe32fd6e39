/** `carabiner raw`: any path of the debug socket. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { askSocket, type SocketOptions, socketOption } from '../socket.ts'

export function command(context: CliContext): Command {
  const raw = new Command('raw')
    .description('Asks the debug socket of a running operator for a path and prints the answer.')
    .argument('<path>', 'for example /queue/list.json')
    .action(async (path: string, options: SocketOptions) => {
      context.stdout.write(await askSocket(context, options, path.startsWith('/') ? path : `/${path}`))
    })
  return socketOption(raw)
}
