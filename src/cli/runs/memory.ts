/** The runs in the memory of an operator on this machine, over its debug socket or its HTTP port. */
import type { RunRecord } from '../../hooks/index.ts'
import { CarabinerError, type HttpEndpoint, isJsonObject } from '../../runtime/index.ts'
import { textOf } from '../answer.ts'
import type { CliContext } from '../context.ts'
import { type SocketOptions, socketPaths } from '../socket.ts'

export interface MemoryOptions extends SocketOptions {
  readonly operator?: string
}

interface Source {
  readonly endpoint: HttpEndpoint
  readonly target: string
}

/** How long an operator that was not asked for by name may take to answer. */
const answerTimeoutMs = 1_000

/** Undefined when no operator answers, which is an error only for one that was asked for by name. */
export async function askMemory(
  context: CliContext,
  options: MemoryOptions,
): Promise<readonly RunRecord[] | undefined> {
  const { operator, debugUnixSocket } = options
  const sockets = await socketPaths(context.runtime, options)
  const answers = await Promise.all([
    operator === undefined ? undefined : ask(context, operatorAt(operator)).catch(refuse(operator)),
    ...sockets.map((socket) =>
      ask(context, operatorOn(socket)).catch(debugUnixSocket === undefined ? () => undefined : refuse(socket)),
    ),
  ])
  const known = answers.filter((answer) => answer !== undefined)
  return known.length === 0 ? undefined : known.flat()
}

function operatorOn(socket: string): Source {
  return { endpoint: { origin: 'http://localhost', socket }, target: '/run/list.json' }
}

function operatorAt(url: string): Source {
  if (!URL.canParse(url))
    throw new CarabinerError('CRB_USAGE', `--operator ${url}: expected a URL, for example http://127.0.0.1:9115`)
  return { endpoint: { origin: new URL(url).origin }, target: '/runs' }
}

function refuse(place: string) {
  return (cause: unknown): never => {
    throw new CarabinerError('CRB_OPERATOR_NOT_FOUND', `no operator answers on ${place}`, {
      cause,
      remedy: 'Run this on the machine of the operator, with its debug socket or the port of its metrics.',
    })
  }
}

async function ask({ runtime, signal }: CliContext, { endpoint, target }: Source): Promise<readonly RunRecord[]> {
  const late = new AbortController()
  const timer = runtime.clock.after(answerTimeoutMs, () =>
    late.abort(new Error(`no answer within ${answerTimeoutMs} ms`)),
  )
  try {
    const request = { method: 'GET', target, headers: {}, signal: AbortSignal.any([signal, late.signal]) }
    const answer = await runtime.http.request(endpoint, request)
    const text = await textOf(answer)
    if (answer.status !== 200) throw new Error(`${target}: ${answer.status} ${text.trim()}`)
    return runsIn(JSON.parse(text))
  } finally {
    timer.cancel()
  }
}

/** Whatever listens there may be no operator. */
function runsIn(answer: unknown): readonly RunRecord[] {
  const runs = isJsonObject(answer) ? answer['runs'] : undefined
  if (!Array.isArray(runs) || !runs.every(isRun)) throw new Error('the answer is no list of runs')
  return runs as unknown as readonly RunRecord[]
}

function isRun(run: unknown): boolean {
  if (!isJsonObject(run) || !isJsonObject(run['subject'])) return false
  const { subject } = run
  return (
    ['key', 'surface', 'lifecycle', 'point', 'hook', 'outcome'].every((field) => typeof run[field] === 'string') &&
    ['kind', 'namespace', 'name'].every((field) => typeof (subject as Record<string, unknown>)[field] === 'string')
  )
}
