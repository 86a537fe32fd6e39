/**
 * The network of a simulation: listeners by address, requests that find them. There are no sockets and no names to resolve; a host
 * is whatever a listener said it was.
 */
import { CarabinerError } from '../errors.ts'
import {
  ConnectionError,
  type HttpClient,
  type HttpEndpoint,
  type HttpHandler,
  type HttpListener,
  type HttpServers,
} from '../http.ts'
import { Cell } from './cell.ts'
import { exchange } from './exchange.ts'

const loopback = new Set(['127.0.0.1', 'localhost', '::1', '[::1]', '0.0.0.0', '::'])
const firstFreePort = 20_000

interface Listening {
  readonly cell: Cell
  readonly handler: HttpHandler
}

export class Network {
  readonly #listeners = new Map<string, Listening>()
  #nextPort = firstFreePort

  /** The network as one process has it; `prepare` may put faults in front of every handler it reaches. */
  attach(cell: Cell, prepare: (handler: HttpHandler) => HttpHandler): HttpClient & HttpServers {
    return {
      request: (endpoint, request) => {
        const listening = this.#listeners.get(addressOf(endpoint))
        const server = listening?.cell ?? nowhere(cell)
        const handler = listening?.handler ?? refuse(endpoint)
        return exchange({ client: cell, server, handler: prepare(handler) }, request)
      },
      listen: (options, handler) => cell.deliver(() => this.#listen(cell, options, handler)),
    }
  }

  #listen(owner: Cell, options: { host: string; port: number }, handler: HttpHandler): HttpListener {
    const port = options.port === 0 ? this.#nextPort++ : options.port
    const address = key(options.host, port)
    if (this.#listeners.has(address)) {
      throw new CarabinerError('CRB_PORT_IN_USE', `cannot listen on ${options.host}:${port}: the port is in use`)
    }
    // A listener can end while its process lives on, so it is a cell of its own inside its owner's.
    const cell = new Cell(`${owner.name}:${port}`, owner.scheduler, owner.start)
    const release = (): void => {
      this.#listeners.delete(address)
      cell.halt()
    }
    const keep = owner.onHalt(release)
    this.#listeners.set(address, { cell, handler })
    owner.record(`listen ${options.host}:${port}`)
    return {
      port,
      reload: () => owner.record(`reload ${options.host}:${port}`),
      close: () => {
        keep()
        release()
        return owner.deliver(() => undefined)
      },
    }
  }
}

function addressOf({ origin }: HttpEndpoint): string {
  const { hostname, port, protocol } = new URL(origin)
  return key(hostname, Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port))
}

function key(host: string, port: number): string {
  return `${loopback.has(host) ? 'localhost' : host}:${port}`
}

function refuse({ origin }: HttpEndpoint): HttpHandler {
  return () => Promise.reject(new ConnectionError('ECONNREFUSED', `nothing listens on ${origin}`))
}

function nowhere(client: Cell): Cell {
  return new Cell('nowhere', client.scheduler, client.start)
}
