/**
 * The network of a simulation: listeners by address. There are no sockets and no name resolution; a host exists when a listener uses its
 * name.
 */
import {
  ConnectionError,
  type HttpClient,
  type HttpEndpoint,
  type HttpHandler,
  type HttpListener,
  type HttpServers,
  inUse,
  type ListenAddress,
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

  /** The network of one process; `prepare` may wrap every handler with faults. */
  attach(cell: Cell, prepare: (handler: HttpHandler) => HttpHandler): HttpClient & HttpServers {
    return {
      request: (endpoint, request) => {
        const listening = this.#listeners.get(addressOf(endpoint))
        const server = listening?.cell ?? nowhere(cell)
        const handler = listening?.handler ?? refuse(endpoint)
        return exchange({ client: cell, server, handler: prepare(handler) }, request)
      },
      listen: (place, handler) => cell.deliver(() => this.#listen(cell, place, handler)),
    }
  }

  #listen(owner: Cell, place: ListenAddress, handler: HttpHandler): HttpListener {
    const port = 'socket' in place ? 0 : place.port === 0 ? this.#nextPort++ : place.port
    const shown = 'socket' in place ? place.socket : `${place.host}:${port}`
    const address = 'socket' in place ? place.socket : key(place.host, port)
    if (this.#listeners.has(address)) throw inUse(place)
    // A listener can be closed while its process runs on, so it has its own cell.
    const cell = new Cell(`${owner.name}:${port === 0 ? shown : port}`, owner.scheduler, owner.start)
    const release = (): void => {
      this.#listeners.delete(address)
      cell.halt()
    }
    const keep = owner.onHalt(release)
    this.#listeners.set(address, { cell, handler })
    owner.record(`listen ${shown}`)
    return {
      port,
      reload: () => owner.record(`reload ${shown}`),
      close: () => {
        keep()
        release()
        return owner.deliver(() => undefined)
      },
    }
  }
}

function addressOf({ origin, socket }: HttpEndpoint): string {
  if (socket !== undefined) return socket
  const { hostname, port, protocol } = new URL(origin)
  return key(hostname, Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port))
}

function key(host: string, port: number): string {
  return `${loopback.has(host) ? 'localhost' : host}:${port}`
}

function refuse({ origin, socket = origin }: HttpEndpoint): HttpHandler {
  return () => Promise.reject(new ConnectionError('ECONNREFUSED', `nothing listens on ${socket}`))
}

function nowhere(client: Cell): Cell {
  return new Cell('nowhere', client.scheduler, client.start)
}
