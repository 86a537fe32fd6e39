/**
 * The debug socket of a running operator. The environment variable is that of shell-operator, and so is the path for root; other users
 * cannot create that path, so their operators listen in their own folder, and their commands look in both places.
 */
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { CarabinerError, type HttpRequest, type HttpResponse } from '../runtime/index.ts'
import { textOf } from './answer.ts'
import type { CliContext } from './context.ts'
import { type FolderRuntime, fitsSocket, isOwnFolder, makeUserFolder, userFolders, userId } from './user-folder.ts'

export interface SocketOptions {
  readonly debugUnixSocket?: string
}

/** The default of shell-operator, and of every operator that runs as root. */
export const originalSocket = '/var/run/shell-operator/debug.socket'

const socketName = 'debug.socket'

export function socketOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--debug-unix-socket <path>',
      `debug socket of the operator (env: DEBUG_UNIX_SOCKET, default: as root ${originalSocket}, else ${socketName} in $XDG_RUNTIME_DIR/carabiner or ~/.carabiner)`,
    ),
  )
}

const givenSocket = ({ env }: FolderRuntime, { debugUnixSocket }: SocketOptions) =>
  debugUnixSocket ?? env['DEBUG_UNIX_SOCKET']

/** Where an operator of this process listens and where it keeps the files of runs, unless flags name other places. */
export interface OperatorFolders {
  readonly socket: string
  /** @default that of shell-operator or addon-operator */
  readonly tmpDir?: string
}

/** Those of shell-operator and addon-operator. */
export function originalFolders(runtime: FolderRuntime, options: SocketOptions): OperatorFolders {
  return { socket: givenSocket(runtime, options) ?? originalSocket }
}

/** Those of the originals for root, else in the folder of the user. */
export async function operatorFolders(runtime: FolderRuntime, options: SocketOptions): Promise<OperatorFolders> {
  if (userId() === 0) return originalFolders(runtime, options)
  const folder = await makeUserFolder(runtime, userFolders(runtime), socketName)
  return { socket: givenSocket(runtime, options) ?? join(folder, socketName), tmpDir: join(folder, 'runs') }
}

/** Where an operator may listen, the most likely place first. */
export async function socketPaths(runtime: FolderRuntime, options: SocketOptions): Promise<readonly string[]> {
  const given = givenSocket(runtime, options)
  if (given !== undefined) return [given]
  if (userId() === 0) return [originalSocket]
  const folders = userFolders(runtime).filter((folder) => fitsSocket(join(folder, socketName)))
  const isOwn = await Promise.all(folders.map((folder) => isOwnFolder(runtime, folder)))
  return [...folders.filter((_, index) => isOwn[index]).map((folder) => join(folder, socketName)), originalSocket]
}

/** Sends a GET request, or with `form` a POST request, and returns the response body. */
export async function askSocket(
  context: CliContext,
  options: SocketOptions,
  target: string,
  form?: Readonly<Record<string, string>>,
): Promise<string> {
  const { signal } = context
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
  const answer = await firstAnswer(context, await socketPaths(context.runtime, options), request)
  const text = await textOf(answer)
  if (answer.status === 200) return text
  throw new CarabinerError('CRB_USAGE', text.trim())
}

async function firstAnswer(
  { runtime, signal }: CliContext,
  sockets: readonly string[],
  request: HttpRequest,
): Promise<HttpResponse> {
  let cause: unknown
  for (const socket of sockets) {
    try {
      return await runtime.http.request({ origin: 'http://localhost', socket }, request)
    } catch (error) {
      // Only where nothing listens another operator can be meant: a request that was sent is not repeated.
      cause = error
      if (signal.aborted || !isNowhere(error)) break
    }
  }
  throw new CarabinerError('CRB_OPERATOR_NOT_FOUND', `no operator answers on ${sockets.join(' or ')}`, { cause })
}

function isNowhere(error: unknown): boolean {
  return ['ECONNREFUSED', 'ENOENT', 'EACCES'].includes((error as { readonly code?: string }).code ?? '')
}

const formats = ['text', 'json', 'yaml']

/** The output formats of shell-operator, which prints no tables. */
export function formatOption(): Option {
  return new Option('-o, --output <format>', 'text, json or yaml').choices(formats).default('text')
}
