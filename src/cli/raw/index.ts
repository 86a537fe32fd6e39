/** `carabiner raw`: requests any path of the debug socket. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { askSocket, type SocketOptions, socketOption } from '../socket.ts'

/** Names of hooks may contain characters that a request line must not contain. Encoded characters stay as they are. */
const toBeEncoded = /[^!-~]+/g

export function command(context: CliContext): Command {
  const raw = new Command('raw')
    .description('Requests a path from the debug socket of a running operator and prints the response.')
    .argument('<path>', 'for example /queue/list.json')
    .action(async (path: string, options: SocketOptions) => {
      const target = path.startsWith('/') ? path : `/${path}`
      context.stdout.write(await askSocket(context, options, target.replaceAll(toBeEncoded, encodeURIComponent)))
    })
  return socketOption(raw)
}
