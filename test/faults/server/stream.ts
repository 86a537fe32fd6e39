/** One watch under way, with every way it can go wrong on the wire. */
import type { ServerResponse } from 'node:http'
import type { Change } from './storage.ts'

export type Interception = (stream: WatchStream, line: Buffer) => void

export class WatchStream {
  readonly #response: ServerResponse
  #interception: Interception | undefined

  constructor(response: ServerResponse) {
    this.#response = response
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
  }

  /** The next event goes to `interception` instead of the client. */
  intercept(interception: Interception): void {
    this.#interception = interception
  }

  deliver(change: Change): void {
    const line = Buffer.from(`${JSON.stringify({ type: change.type, object: change.object })}\n`)
    const interception = this.#interception
    this.#interception = undefined
    if (interception === undefined) this.write(line)
    else interception(this, line)
  }

  bookmark(version: number): void {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion: String(version) } }
    this.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`)
  }

  error(code: number, reason: string, details: object = {}): void {
    const object = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, details }
    this.write(`${JSON.stringify({ type: 'ERROR', object })}\n`)
  }

  write(bytes: string | Buffer): void {
    if (!this.#response.destroyed) this.#response.write(bytes)
  }

  end(): void {
    this.#response.end()
  }

  /** A reset, as from a firewall: no orderly end on any layer. */
  reset(): void {
    this.#response.socket?.resetAndDestroy()
  }
}
