/**
 * The transport over sockets. It reads the identity of the connection before every request, so that renewed tokens and certificates are used at
 * once, and renews it when the server refuses it.
 */
import { setMaxListeners } from 'node:events'
import type { Dispatcher } from 'undici'
import type { HttpBody, HttpHeaders, HttpRequest, Runtime, TlsClientOptions } from '../../runtime/index.ts'
import type { Connection, Identity } from '../config/connection.ts'
import { retrying } from '../transport/retry.ts'
import type { Receive, Transport } from '../transport/transport.ts'
import { type Agents, createAgents } from './agents.ts'
import { isTlsError, networkError } from './errors.ts'
import { BoundedResponses, type ResponseLimits, trustedServerLimits } from './response-limits.ts'

/** Longer than the request timeout of the server, so that its error is seen rather than ours. */
const unaryTimeoutMs = 70_000
/** A watch sends its headers at once, with or without events. */
const streamHeadersTimeoutMs = 30_000
/** Connections of this many identities stay open; one that is renewed every few minutes would keep more while logs are followed. */
const maxAgents = 4
const nothing = new Uint8Array()

export function networkTransport(
  connection: Connection,
  runtime: Pick<Runtime, 'clock' | 'random'>,
  limits: ResponseLimits = trustedServerLimits,
): Transport {
  const responses = new BoundedResponses(limits, runtime.clock, connection.server)
  return retrying(new NetworkTransport(connection, responses), runtime)
}

class NetworkTransport implements Transport {
  readonly #connection: Connection
  readonly #responses: BoundedResponses
  readonly #origin: URL
  readonly #prefix: string
  readonly #all = new Set<Agents>()
  #current: { readonly tls: TlsClientOptions; readonly agents: Agents } | undefined

  constructor(connection: Connection, responses: BoundedResponses) {
    this.#connection = connection
    this.#responses = responses
    this.#origin = new URL(new URL(connection.server).origin)
    this.#prefix = new URL(connection.server).pathname.replace(/\/$/, '')
  }

  send(request: HttpRequest, receive?: Receive) {
    return this.#identified(request.signal, (identity) =>
      this.#responses.inTime(request, async (signal) => {
        const options = this.#options({ ...request, signal }, identity, unaryTimeoutMs, unaryTimeoutMs)
        const answer = await this.#agentsFor(identity).unary.request(options)
        const body = await this.#bodyOf(request, answer, receive)
        return { status: answer.statusCode, headers: headersOf(answer), body }
      }),
    )
  }

  open(request: HttpRequest) {
    return this.#identified(request.signal, async (identity) => {
      const { streams } = this.#agentsFor(identity)
      const lease = await streams.lease(!Object.values(identity.headers).some(Array.isArray))
      try {
        const options = this.#options(request, identity, streamHeadersTimeoutMs, 0)
        const answer = await lease.dispatcher.request(options)
        answer.body.once('close', lease.release)
        const body =
          answer.statusCode < 400 ? this.#body(answer, request.signal) : once(await this.#error(request, answer))
        return { status: answer.statusCode, headers: headersOf(answer), body }
      } catch (error) {
        if (request.signal?.aborted) lease.release()
        else lease.abandon()
        throw error
      }
    })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((agents) => agents.destroy()))
  }

  /** Retries once when the server refuses the identity and it could be renewed. */
  async #identified<T extends { readonly status: number }>(
    signal: AbortSignal | undefined,
    exchange: (identity: Identity) => Promise<T>,
  ): Promise<T> {
    const identity = await this.#connection.identity()
    const first = await this.#translated(signal, () => exchange(identity)).catch((error: unknown) => error)
    const refused = first instanceof Error ? isTlsError(first) : (first as T).status === 401
    if (refused && (await this.#connection.renew(identity))) {
      const renewed = await this.#connection.identity()
      return this.#translated(signal, () => exchange(renewed))
    }
    if (first instanceof Error) throw first
    return first as T
  }

  async #translated<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      throw networkError(error, this.#connection.server)
    }
  }

  /** New certificates need new connections; the old ones close with their last stream, and the oldest at the latest after a few renewals. */
  #agentsFor({ tls }: Identity): Agents {
    if (this.#current?.tls === tls) return this.#current.agents
    const retired = this.#current?.agents
    const agents = createAgents(this.#origin, tls, this.#connection.proxy)
    this.#current = { tls, agents }
    this.#all.add(agents)
    if (retired !== undefined) void retired.close().finally(() => this.#all.delete(retired))
    for (const oldest of [...this.#all].slice(0, -maxAgents)) {
      this.#all.delete(oldest)
      void oldest.destroy()
    }
    return agents
  }

  #options(request: HttpRequest, identity: Identity, headersTimeout: number, bodyTimeout: number) {
    const headers: Record<string, string | string[]> = { ...request.headers }
    for (const [name, value] of Object.entries(identity.headers)) {
      headers[name] ??= typeof value === 'string' ? value : [...value]
    }
    // Many requests share one signal; Node would warn about a leak.
    if (request.signal !== undefined) setMaxListeners(0, request.signal)
    return {
      origin: this.#origin,
      path: `${this.#prefix}${request.target}`,
      method: request.method as Dispatcher.HttpMethod,
      headers,
      headersTimeout,
      bodyTimeout,
      // Without this, undici closes the connection after every DELETE with a body.
      reset: false,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    }
  }

  async #bodyOf(request: HttpRequest, answer: Dispatcher.ResponseData, receive: Receive | undefined) {
    if (answer.statusCode >= 400) return await this.#responses.refusal(request, answer.body)
    if (receive === undefined) return await this.#responses.whole(request, answer.body)
    await this.#responses.passOn(request, answer.body, receive())
    return nothing
  }

  /** The body of a refused stream, which must end like that of any other request. */
  async #error(request: HttpRequest, { body }: Dispatcher.ResponseData): Promise<Uint8Array> {
    return await this.#responses.inTime(request, (signal) => {
      signal.addEventListener('abort', () => body.destroy(signal.reason), { once: true })
      return this.#responses.refusal(request, body)
    })
  }

  async *#body({ body }: Dispatcher.ResponseData, signal: AbortSignal | undefined): HttpBody {
    try {
      for await (const chunk of body) yield chunk as Uint8Array
    } catch (error) {
      signal?.throwIfAborted()
      throw networkError(error, this.#connection.server)
    } finally {
      body.destroy()
    }
  }
}

async function* once(body: Uint8Array): HttpBody {
  yield body
}

function headersOf({ headers }: Dispatcher.ResponseData): HttpHeaders {
  const joined: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return joined
}
