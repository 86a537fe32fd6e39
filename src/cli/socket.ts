/** Requests to the debug socket of a running operator. Path and environment variable are those of shell-operator. */
import { type Command, Option } from 'commander'
import { CarabinerError } from '../runtime/index.ts'
import { textOf } from './answer.ts'
import type { CliContext } from './context.ts'

export interface SocketOptions {
  readonly debugUnixSocket?: string
}

export const defaultSocket = '/var/run/shell-operator/debug.socket'

export function socketOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--debug-unix-socket <path>',
      `debug socket of the operator (env: DEBUG_UNIX_SOCKET, default: ${defaultSocket})`,
    ),
  )
}

export function socketPath(context: Pick<CliContext, 'runtime'>, { debugUnixSocket }: SocketOptions): string {
  return debugUnixSocket ?? context.runtime.env['DEBUG_UNIX_SOCKET'] ?? defaultSocket
}

/** Sends a GET request, or with `form` a POST request, and returns the response body. */
export async function askSocket(
  context: CliContext,
  options: SocketOptions,
  target: string,
  form?: Readonly<Record<string, string>>,
): Promise<string> {
  const { runtime, signal } = context
  const socket = socketPath(context, options)
  const request =
    form === undefined
      ? { method: 'GET', target, headers: {}, signal }
      : {
          method: 'POST',
          target,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new TextEncoder().encode(new URLSearchParams(form).toString()),
          signal,
        }
  const answer = await runtime.http.request({ origin: 'http://localhost', socket }, request).catch((cause: unknown) => {
    throw new CarabinerError('CRB_OPERATOR_NOT_FOUND', `no operator answers on ${socket}`, { cause })
  })
  const text = await textOf(answer)
  if (answer.status === 200) return text
  throw new CarabinerError('CRB_USAGE', text.trim())
}

const formats = ['text', 'json', 'yaml']

/** The output formats of shell-operator, which prints no tables. */
export function formatOption(): Option {
  return new Option('-o, --output <format>', 'text, json or yaml').choices(formats).default('text')
}
