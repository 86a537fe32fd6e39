/**
 * Connections for watches and logs, of which dozens stay open for minutes: they share HTTP/2 connections where the server offers HTTP/2, else each
 * has a socket. Unary requests use other connections, so that a broken stream connection does not affect them.
 */
import type { buildConnector as Connector, Dispatcher, Agent as UndiciAgent } from 'undici'
import { Agent, buildConnector } from '../../runtime/undici/index.ts'

/** Servers allow 100 streams per connection; the next request would wait until one ends. */
const streamsPerConnection = 90

interface Shared {
  readonly agent: UndiciAgent
  open: number
}

export interface StreamLease {
  readonly dispatcher: Dispatcher
  /** Must be called when the stream has ended; further calls do nothing. */
  release(): void
  /**
   * Must be called instead when the request failed. A broken connection can stay open for a quarter of an hour, so it gets no new streams;
   * its streams end by their idle timeouts.
   */
  abandon(): void
}

export interface StreamOptions {
  readonly connect: Connector.BuildOptions
  /** For requests that cannot share a connection: to HTTP/1.1 servers, through proxies, and with repeated headers, which undici joins on HTTP/2. */
  readonly single: Dispatcher
  /** There is no proxy. */
  readonly isDirect: boolean
}

export class StreamConnections {
  readonly #connect: Connector.BuildOptions
  readonly #origin: URL
  readonly #single: Dispatcher
  readonly #direct: boolean
  readonly #shared: Shared[] = []
  /** Used for no new streams, but with streams still open. */
  readonly #dropped = new Set<UndiciAgent>()
  #offersHttp2: Promise<boolean> | undefined

  constructor(origin: URL, { connect, single, isDirect }: StreamOptions) {
    this.#direct = isDirect && origin.protocol === 'https:'
    this.#origin = origin
    this.#connect = connect
    this.#single = single
  }

  async lease(mayShare: boolean): Promise<StreamLease> {
    if (!mayShare || !this.#direct || !(await this.#negotiated())) {
      return { dispatcher: this.#single, release: () => undefined, abandon: () => this.#forgetProtocol() }
    }
    let shared = this.#shared.find(({ open }) => open < streamsPerConnection)
    if (shared === undefined) {
      // One connection with as many concurrent requests as leases: undici's default is one.
      const sharing = { allowH2: true, connections: 1, pipelining: streamsPerConnection }
      shared = { agent: new Agent({ connect: this.#connect, ...sharing }), open: 0 }
      this.#shared.push(shared)
    }
    const taken = shared
    taken.open += 1
    let released = false
    return {
      dispatcher: taken.agent,
      release: () => {
        if (!released) this.#release(taken)
        released = true
      },
      abandon: () => {
        this.#forgetProtocol()
        this.#drop(taken)
      },
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#shared.map(({ agent }) => agent.close()))
  }

  async destroy(): Promise<void> {
    const agents = [...this.#shared.map(({ agent }) => agent), ...this.#dropped]
    await Promise.all(agents.map((agent) => agent.destroy()))
  }

  #release(shared: Shared): void {
    shared.open -= 1
    if (shared.open === 0 && this.#shared.length > 1) this.#drop(shared)
  }

  #drop(shared: Shared): void {
    const index = this.#shared.indexOf(shared)
    if (index === -1) return
    this.#shared.splice(index, 1)
    this.#dropped.add(shared.agent)
    void shared.agent.close().finally(() => this.#dropped.delete(shared.agent))
  }

  /** After a failure another server may answer: negotiate the protocol again. */
  #forgetProtocol(): void {
    this.#offersHttp2 = undefined
  }

  // An agent with a single connection would block the second watch of an HTTP/1.1 server, so the protocol must be known first.
  #negotiated(): Promise<boolean> {
    if (this.#offersHttp2 === undefined) {
      this.#offersHttp2 = offersHttp2(this.#origin, this.#connect)
      this.#offersHttp2.catch(() => this.#forgetProtocol())
    }
    return this.#offersHttp2
  }
}

function offersHttp2(origin: URL, options: Connector.BuildOptions): Promise<boolean> {
  const connect = buildConnector({ ...options, allowH2: true })
  const { protocol, hostname, host } = origin
  const port = origin.port || '443'
  return new Promise((resolve, reject) => {
    connect({ protocol, hostname, host, port }, (error, socket) => {
      if (error !== null) {
        reject(error)
        return
      }
      resolve('alpnProtocol' in socket && socket.alpnProtocol === 'h2')
      socket.destroy()
    })
  })
}
