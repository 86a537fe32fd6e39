/** One watch of the fault server, with functions to break it on the wire. */
import { Http2ServerResponse } from 'node:http2'
import type { Response } from './server.ts'
import type { Change } from './storage.ts'

export type Interception = (stream: WatchStream, line: Buffer) => void

export class WatchStream {
  readonly #response: Response
  #interception: Interception | undefined

  constructor(response: Response) {
    this.#response = response
    response.writeHead(200, { 'content-type': 'application/json' })
    if (!(response instanceof Http2ServerResponse)) response.flushHeaders()
  }

  /** Passes the next event to `interception` instead of the client. */
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
    const response = this.#response
    if (response.destroyed) return
    if (response instanceof Http2ServerResponse) response.write(bytes)
    else response.write(bytes)
  }

  end(): void {
    this.#response.end()
  }
}
