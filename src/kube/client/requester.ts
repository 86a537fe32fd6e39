/**
 * One request and its answer: waits for the rate limit, sends, reports warnings, turns refusals into errors. Knows paths and bodies,
 * not resources.
 */
import type { HttpBody, HttpHeaders, HttpRequest, HttpResponse } from '../../runtime/http.ts'
import type { KubeList, KubeObject } from '../object.ts'
import { concat } from '../transport/bytes.ts'
import type { Transport } from '../transport/transport.ts'
import { decode, refusal } from './answer.ts'
import type { Turn } from './ratelimit.ts'
import { decodeList } from './slices.ts'
import type { Place } from './strip.ts'
import { warningsIn } from './warnings.ts'

export interface Call {
  readonly method: string
  readonly target: string
  readonly accept?: string
  readonly body?: unknown
  /** @default application/json */
  readonly contentType?: string
  /** Where managedFields are left out of the answer. */
  readonly stripped?: Place | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Requester {
  /** The whole answer, decoded. */
  json<T>(call: Call): Promise<T>
  /** A list, decoded without holding up other work. */
  list<T extends KubeObject>(call: Call): Promise<KubeList<T>>
  whole(call: Call): Promise<HttpResponse & { readonly body: Uint8Array }>
  /** The answer as it arrives; undefined body parts never occur, an early `return()` closes the connection. */
  stream(call: Call): Promise<HttpResponse & { readonly body: HttpBody }>
}

export interface RequesterOptions {
  readonly transport: Transport
  readonly headers: HttpHeaders
  readonly turn: Turn
  /** Lets other work have its turn. */
  readonly breathe: () => Promise<void>
  readonly warn: (text: string, call: Call) => void
}

const encoder = new TextEncoder()

export function createRequester({ transport, headers, turn, breathe, warn }: RequesterOptions): Requester {
  async function prepare(call: Call): Promise<HttpRequest> {
    call.signal?.throwIfAborted()
    await turn(call.signal)
    const all: Record<string, string> = { accept: call.accept ?? 'application/json', ...headers }
    if (call.body !== undefined) all['content-type'] = call.contentType ?? 'application/json'
    return {
      method: call.method,
      target: call.target,
      headers: all,
      ...(call.body === undefined ? {} : { body: encoder.encode(JSON.stringify(call.body)) }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    }
  }

  function report(answer: HttpResponse, call: Call): void {
    const header = answer.headers['warning']
    if (header !== undefined) for (const text of warningsIn(header)) warn(text, call)
  }

  async function whole(call: Call) {
    const request = await prepare(call)
    const answer = await transport.send(request)
    report(answer, call)
    if (answer.status >= 400) throw refusal(request, answer, answer.body)
    return answer
  }

  return {
    whole,
    async json<T>(call: Call) {
      return decode<T>((await whole(call)).body, call, call.stripped)
    },
    async list<T extends KubeObject>(call: Call) {
      return decodeList<T>((await whole(call)).body, call, call.stripped, breathe)
    },
    async stream(call) {
      const request = await prepare(call)
      const answer = await transport.open(request)
      report(answer, call)
      if (answer.status < 400) return answer
      const chunks: Uint8Array[] = []
      for await (const chunk of answer.body) chunks.push(chunk)
      throw refusal(request, answer, concat(chunks))
    },
  }
}
