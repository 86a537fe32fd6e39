/**
 * Connections for watches and logs, which stay open for minutes and come by the dozen: HTTP/2 where the server offers it, so that many
 * share a socket, else HTTP/1.1 with a socket each. They are apart from the unary ones, so that the end of one never touches those.
 */
import type { buildConnector as Connector, Dispatcher, Agent as UndiciAgent } from 'undici'
import { Agent, buildConnector } from '../../runtime/real/undici.ts'

/** Servers allow 100 streams on a connection; request 101 would wait without end. */
const streamsPerConnection = 90

interface Shared {
  readonly agent: UndiciAgent
  open: number
}

export interface StreamLease {
  readonly dispatcher: Dispatcher
  /** To be called when the stream has ended; again does nothing. */
  release(): void
  /**
   * To be called instead when no stream came about. A connection that swallows requests stays open for a quarter of an hour, so it gets
   * no more of them; streams already on it find out by themselves.
   */
  abandon(): void
}

export class StreamConnections {
  readonly #connect: Connector.BuildOptions
  readonly #origin: URL
  /** For everything that cannot share: HTTP/1.1 servers, proxies, and repeated headers, which undici joins on HTTP/2. */
  readonly #single: Dispatcher
  readonly #direct: boolean
  readonly #shared: Shared[] = []
  /** Not used for anything new, but still with streams on them. */
  readonly #dropped = new Set<UndiciAgent>()
  #offersHttp2: Promise<boolean> | undefined

  constructor(origin: URL, connect: Connector.BuildOptions, single: Dispatcher, direct: boolean) {
    this.#direct = direct && origin.protocol === 'https:'
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
      // One connection, and on it as many requests at once as leases: undici's own default is one.
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

  /** A connection that failed may have been to another server: ask again which protocol it speaks. */
  #forgetProtocol(): void {
    this.#offersHttp2 = undefined
  }

  // An agent with a single connection would let the second watch of an HTTP/1.1 server wait for ever, so this must be known first.
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
