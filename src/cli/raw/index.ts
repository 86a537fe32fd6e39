/** `carabiner raw`: any path of the debug socket. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { askSocket, type SocketOptions, socketOption } from '../socket.ts'

/** Names of hooks may have what no request line may: what is not a visible ASCII character. One that is encoded already stays so. */
const unwritable = /[^!-~]+/g

export function command(context: CliContext): Command {
  const raw = new Command('raw')
    .description('Asks the debug socket of a running operator for a path and prints the answer.')
    .argument('<path>', 'for example /queue/list.json')
    .action(async (path: string, options: SocketOptions) => {
      const target = path.startsWith('/') ? path : `/${path}`
      context.stdout.write(await askSocket(context, options, target.replaceAll(unwritable, encodeURIComponent)))
    })
  return socketOption(raw)
}
