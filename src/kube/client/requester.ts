/**
 * Sends one request: waits for the rate limit, reports warnings, turns error statuses into errors. Knows paths and bodies, not resources.
 */
import { concat, type HttpBody, type HttpHeaders, type HttpRequest, type HttpResponse } from '../../runtime/index.ts'
import type { KubeObject } from '../object.ts'
import type { Receive, Transport } from '../transport/transport.ts'
import { decode, refusal } from './answer.ts'
import { type Decoded, ListDecoder } from './list-decoder.ts'
import type { RequestMetrics } from './metrics.ts'
import type { Turn } from './ratelimit.ts'
import type { Place } from './strip.ts'
import { warningsIn } from './warnings.ts'

export interface Call {
  readonly method: string
  readonly target: string
  readonly accept?: string
  readonly body?: unknown
  /** @default application/json */
  readonly contentType?: string
  /** Where managedFields are left out of the response. */
  readonly stripped?: Place
  readonly signal?: AbortSignal | undefined
}

export interface Requester {
  /** The whole response, decoded. */
  json<T>(call: Call): Promise<T>
  /** A list, decoded while it arrives; each object is converted with `keep`. */
  list<T extends KubeObject, V>(
    call: Call & { readonly omitManagedFields: boolean },
    keep: (object: T) => V,
  ): Promise<Decoded<V>>
  whole(call: Call): Promise<HttpResponse & { readonly body: Uint8Array }>
  /** The response as it arrives; an early `return()` closes the connection. */
  stream(call: Call): Promise<HttpResponse & { readonly body: HttpBody }>
}

export interface RequesterOptions {
  readonly transport: Transport
  readonly headers: HttpHeaders
  readonly turn: Turn
  /** Yields to other work. */
  readonly yieldToOthers: () => Promise<void>
  readonly warn: (text: string, call: Call) => void
  readonly metrics: RequestMetrics
}

const encoder = new TextEncoder()

export function createRequester({
  transport,
  headers,
  turn,
  yieldToOthers,
  warn,
  metrics,
}: RequesterOptions): Requester {
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

  async function whole(call: Call, receive?: Receive) {
    const request = await prepare(call)
    const answer = await metrics.observe(call.method, () => transport.send(request, receive))
    report(answer, call)
    if (answer.status >= 400) throw refusal(request, answer, answer.body)
    return answer
  }

  return {
    whole: (call) => whole(call),
    async json<T>(call: Call) {
      return decode<T>((await whole(call)).body, call, call.stripped)
    },
    async list(call, keep) {
      const { omitManagedFields } = call
      const begin = () => new ListDecoder({ from: call, omitManagedFields, keep, yieldToOthers })
      let decoder = begin()
      const answer = await whole(call, () => {
        decoder = begin()
        return (chunk) => decoder.take(chunk)
      })
      if (answer.body.length > 0) await decoder.take(answer.body)
      return decoder.end()
    },
    async stream(call) {
      const request = await prepare(call)
      const answer = await metrics.observe(call.method, () => transport.open(request))
      report(answer, call)
      if (answer.status < 400) return answer
      const chunks: Uint8Array[] = []
      for await (const chunk of answer.body) chunks.push(chunk)
      throw refusal(request, answer, concat(chunks))
    },
  }
}
