/**
 * One HTTP exchange without a socket: request and answer each take a turn. When one side is halted, the other side sees a broken
 * connection.
 */
import { ConnectionError, type HttpBody, type HttpHandler, type HttpRequest, type HttpResponse } from '../http.ts'
import type { Cell } from './cell.ts'

export interface Ends {
  readonly client: Cell
  readonly server: Cell
  readonly handler: HttpHandler
}

export function exchange(ends: Ends, request: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    // A halted process sends nothing: its listeners would be kept as long as the signal.
    if (ends.client.halted) return
    const connection = new Connection(ends, request, reject)
    ends.client.scheduler.schedule(ends.client, 0, () => connection.begin(resolve))
  })
}

/** The state of one exchange: begun, answered, ended. It ends once. */
class Connection {
  readonly #ends: Ends
  readonly #request: HttpRequest
  #gone: AbortController | undefined
  readonly #undo: (() => void)[] = []
  /** Rejects the pending call of the client. */
  #break: (error: unknown) => void
  /** Closes the source of a streamed response. */
  #close: () => void = () => undefined
  #failure: { readonly error: unknown } | undefined
  #over = false

  constructor(ends: Ends, request: HttpRequest, reject: (error: unknown) => void) {
    this.#ends = ends
    this.#request = request
    this.#break = reject
    const { client, server } = ends
    const what = `${request.method} ${request.target}`
    client.record(`request ${what}`)
    this.#undo.push(
      client.wait(`answer to ${what}`),
      client.onHalt(() => this.#endEarly('left')),
    )
    // A server that is already halted refuses the request when it arrives.
    if (!server.halted)
      this.#undo.push(server.onHalt(() => this.#cut(new ConnectionError('ECONNRESET', `${what}: connection reset`))))
    const { signal } = request
    if (signal === undefined) return
    const onAbort = (): void => this.#cut(signal.reason, 'at once')
    if (signal.aborted) {
      onAbort()
      return
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#undo.push(() => signal.removeEventListener('abort', onAbort))
  }

  begin(resolve: (response: HttpResponse) => void): void {
    if (this.#over) return
    const { server, handler } = this.#ends
    if (server.halted) {
      this.#cut(new ConnectionError('ECONNREFUSED', `${server.name} does not run`))
      return
    }
    const request = this.#asSeenByServer()
    Promise.resolve()
      .then(() => handler(request))
      .then(
        (response) => this.#toClient(() => this.#answer(response, resolve)),
        (error: unknown) => this.#toClient(() => this.#fail(error, resolve)),
      )
  }

  /** The signal is created on first use: most handlers do not use it, and creating it is the most expensive part of a request. */
  #asSeenByServer(): HttpRequest {
    const signal = (): AbortSignal => {
      this.#gone ??= new AbortController()
      return this.#gone.signal
    }
    return {
      ...this.#request,
      peer: this.#request.peer ?? { address: this.#ends.client.name },
      get signal() {
        return signal()
      },
    }
  }

  /** A step back to the client; dropped when one side is halted. */
  #toClient(step: () => void): void {
    if (this.#over || this.#ends.server.halted) return
    this.#ends.client.scheduler.schedule(this.#ends.client, 0, () => {
      if (!this.#over) step()
    })
  }

  #answer(response: HttpResponse, resolve: (response: HttpResponse) => void): void {
    const { client } = this.#ends
    client.record(`answer ${response.status} ${this.#request.method} ${this.#request.target}`)
    if (response.body instanceof Uint8Array) {
      this.#end()
      resolve(response)
      return
    }
    this.#break = () => undefined
    resolve({ ...response, body: this.#stream(response.body) })
  }

  #fail(error: unknown, resolve: (response: HttpResponse) => void): void {
    if (error instanceof ConnectionError) {
      this.#cut(error)
      return
    }
    this.#answer({ status: 500, headers: {}, body: new TextEncoder().encode(String(error)) }, resolve)
  }

  #stream(body: HttpBody): HttpBody {
    const source = body[Symbol.asyncIterator]()
    this.#close = () => void source.return?.()?.catch(() => undefined)
    const next = (): Promise<IteratorResult<Uint8Array>> =>
      new Promise((resolve, reject) => {
        if (this.#failure !== undefined) {
          reject(this.#failure.error)
          return
        }
        if (this.#over) {
          resolve({ done: true, value: undefined })
          return
        }
        this.#break = reject
        source.next().then(
          (step) =>
            this.#toClient(() => {
              if (step.done) this.#end('stream end')
              else this.#ends.client.record(`bytes ${step.value.byteLength} ${this.#request.target}`)
              resolve(step.done ? { done: true, value: undefined } : step)
            }),
          (error: unknown) => this.#toClient(() => this.#cut(brokenBy(error))),
        )
      })
    const finish = (): Promise<IteratorResult<Uint8Array>> => {
      this.#endEarly('stream closed')
      return Promise.resolve({ done: true, value: undefined })
    }
    return { [Symbol.asyncIterator]: () => ({ next, return: finish }) }
  }

  /** Breaks the connection: the client is notified in a later turn, or `at once` when the client itself cancelled. */
  #cut(error: unknown, when: 'later' | 'at once' = 'later'): void {
    if (this.#over) return
    const { client } = this.#ends
    this.#failure = { error }
    this.#endEarly(`cut (${error instanceof Error ? error.message : String(error)})`)
    if (when === 'at once') this.#break(error)
    else client.scheduler.schedule(client, 0, () => this.#break(error))
  }

  /** Ends before the response is complete: the server side is notified in its own turn. */
  #endEarly(event: string): void {
    if (this.#over) return
    this.#end(event)
    const { server } = this.#ends
    server.scheduler.schedule(server, 0, () => {
      this.#gone ??= new AbortController()
      this.#gone.abort(new ConnectionError('ECONNRESET', 'the other side has gone away'))
      this.#close()
    })
  }

  #end(event?: string): void {
    if (this.#over) return
    this.#over = true
    if (event !== undefined) this.#ends.client.record(`${event} ${this.#request.method} ${this.#request.target}`)
    for (const undo of this.#undo) undo()
  }
}

function brokenBy(error: unknown): unknown {
  return error instanceof ConnectionError
    ? error
    : new ConnectionError('ECONNRESET', `the answer broke off: ${String(error)}`)
}
