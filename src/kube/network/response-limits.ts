/**
 * Limits of the responses of one server, in bytes and time. A kubeconfig can name a server that never ends its response, sends it byte by
 * byte or sends gigabytes; without limits one such server would use all memory of the process.
 */
import { CarabinerError, type Clock, concat, type HttpRequest } from '../../runtime/index.ts'

export interface ResponseLimits {
  /** Of a response that is decoded as a whole. */
  readonly maxBytes: number
  /** Of a list, which is decoded object by object while it arrives. */
  readonly maxListBytes: number
  /** From the request to the end of the response. */
  readonly maxMs: number
  /** Memory for large responses, shared with other servers. @default not limited */
  readonly largeResponses?: LargeResponses
}

/** For a server that the operator's own configuration names. More than an API server sends: objects have up to 3 MiB, and it ends requests after a minute. */
export const trustedServerLimits: ResponseLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxListBytes: 2 * 1024 ** 3,
  maxMs: 180_000,
}

/** Of an error response, of which only the status is used. */
const maxErrorBytes = 1024 * 1024
/** Up to here a response needs no share of the common memory, so that a server that uses it up does not disturb the others. */
const smallBytes = 256 * 1024

/** The memory that responses above 256 KiB may use together, over all servers. */
export class LargeResponses {
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** False when there is no room. */
  reserve(bytes: number): boolean {
    if (this.#bytes + bytes > this.#maxBytes) return false
    this.#bytes += bytes
    return true
  }

  release(bytes: number): void {
    this.#bytes -= bytes
  }
}

export class BoundedResponses {
  readonly #limits: ResponseLimits
  readonly #clock: Clock
  readonly #server: string

  constructor(limits: ResponseLimits, clock: Clock, server: string) {
    this.#limits = limits
    this.#clock = clock
    this.#server = server
  }

  /** Aborts the work when the time is over or the caller cancels. */
  async inTime<T>(request: HttpRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = request
    signal?.throwIfAborted()
    const { maxMs } = this.#limits
    const stop = new AbortController()
    const cancel = () => stop.abort(signal?.reason)
    signal?.addEventListener('abort', cancel, { once: true })
    const late = () =>
      stop.abort(
        new CarabinerError('CRB_API_ANSWER_LATE', `${this.#what(request)} has not ended after ${maxMs / 1000} s.`),
      )
    const timer = this.#clock.after(maxMs, late)
    try {
      return await work(stop.signal)
    } catch (error) {
      throw stop.signal.aborted ? stop.signal.reason : error
    } finally {
      timer.cancel()
      signal?.removeEventListener('abort', cancel)
    }
  }

  whole(request: HttpRequest, body: AsyncIterable<unknown>): Promise<Uint8Array> {
    return this.#read(request, body, this.#limits.maxBytes)
  }

  /** The body of an error response. */
  refusal(request: HttpRequest, body: AsyncIterable<unknown>): Promise<Uint8Array> {
    return this.#read(request, body, Math.min(this.#limits.maxBytes, maxErrorBytes))
  }

  /** Ending the iteration early closes the connection. */
  async #read(request: HttpRequest, body: AsyncIterable<unknown>, most: number): Promise<Uint8Array> {
    const { largeResponses } = this.#limits
    const chunks: Uint8Array[] = []
    let length = 0
    let reserved = 0
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        length += chunk.length
        if (length > most) throw this.#tooLarge(request, most)
        if (length > smallBytes && largeResponses !== undefined) {
          if (!largeResponses.reserve(chunk.length)) throw this.#noRoom(request)
          reserved += chunk.length
        }
        chunks.push(chunk)
      }
      return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : concat(chunks)
    } finally {
      largeResponses?.release(reserved)
    }
  }

  /** Passes the body on while it arrives. */
  async passOn(
    request: HttpRequest,
    body: AsyncIterable<unknown>,
    take: (chunk: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const { maxListBytes } = this.#limits
    let length = 0
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      length += chunk.length
      if (length > maxListBytes) throw this.#tooLarge(request, maxListBytes)
      await take(chunk)
    }
  }

  #tooLarge(request: HttpRequest, bytes: number): CarabinerError {
    const size = bytes >= 1024 ** 3 ? `${bytes / 1024 ** 3} GiB` : `${Math.round(bytes / 1024 ** 2)} MiB`
    return new CarabinerError('CRB_API_ANSWER_TOO_LARGE', `${this.#what(request)} is larger than ${size}.`)
  }

  #noRoom(request: HttpRequest): CarabinerError {
    return new CarabinerError(
      'CRB_API_ANSWER_TOO_LARGE',
      `${this.#what(request)} is large, and other large responses use up the memory for them.`,
    )
  }

  #what({ method, target }: HttpRequest): string {
    return `${this.#server}: the response to ${method} ${target.split('?', 1)[0]}`
  }
}
