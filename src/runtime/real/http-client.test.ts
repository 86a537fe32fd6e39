import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { HttpRequest, HttpResponse } from '../http.ts'
import { createRealHttpClient } from './http-client.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Answers the first request of a connection with these bytes, and leaves the connection open. */
async function exchangeWith(bytes: string, more: Partial<HttpRequest>) {
  const connected: Socket[] = []
  const server = createServer((socket) => {
    connected.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(bytes))
  }).listen(0, '127.0.0.1')
  const client = createRealHttpClient()
  ends.push(() => {
    void client.close()
    server.close()
    for (const socket of connected) socket.destroy()
  })
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const response = await client.request({ origin }, { method: 'GET', target: '/', headers: {}, ...more })
  return { response, socket: connected[0] as Socket }
}

function iteratorOf({ body }: HttpResponse): AsyncIterator<Uint8Array> {
  if (body instanceof Uint8Array) throw new TypeError('the body is not a stream')
  return body[Symbol.asyncIterator]()
}

describe('the real HTTP client', () => {
  it('gives a response whose body is wanted as a stream before a short body is complete', async () => {
    const incomplete = 'HTTP/1.1 500 Broken\r\ncontent-length: 9\r\n\r\nhalf'
    const { response } = await exchangeWith(incomplete, { streamsBody: true })
    expect(response.status).toBe(500)
    const { value } = await iteratorOf(response).next()
    expect(new TextDecoder().decode(value)).toBe('half')
  })

  it('closes the connection of a body that is given up before any of it was read', async () => {
    const endless = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n'
    const { response, socket } = await exchangeWith(endless, {})
    const closed = once(socket, 'close')
    await iteratorOf(response).return?.()
    await closed
  })
})
