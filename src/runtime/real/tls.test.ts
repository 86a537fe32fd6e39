import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import type { HttpBody, HttpHandler, HttpListener, TlsServerOptions } from '../http.ts'
import { createAuthority, loadAuthority } from './certificates.ts'
import { createRealRuntime } from './runtime.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const authority = createAuthority('carabiner-test')
const names = ['localhost', '127.0.0.1', '::1', 'fd00::10:1']
const server = authority.issueServer({ commonName: 'server', names })
const runtime = createRealRuntime()
const open: HttpListener[] = []

afterEach(async () => {
  await runtime.close()
  await Promise.all(open.splice(0).map((listener) => listener.close()))
})

async function listen(handler: HttpHandler, tls: TlsServerOptions = server): Promise<HttpListener> {
  const listener = await runtime.http.listen({ host: '127.0.0.1', port: 0, tls }, handler)
  open.push(listener)
  return listener
}

const originOf = ({ port }: HttpListener): string => `https://127.0.0.1:${port}`
const get = { method: 'GET', target: '/', headers: {} }
const tellPeer: HttpHandler = async ({ peer }) => ({ status: 200, headers: {}, body: encode(JSON.stringify(peer)) })

describe('certificates', () => {
  it('carry names, purposes and valid signatures', () => {
    const [root, leaf] = [new X509Certificate(authority.cert), new X509Certificate(server.cert)]
    expect(root.ca).toBe(true)
    expect(leaf.ca).toBe(false)
    expect(leaf.verify(root.publicKey)).toBe(true)
    expect(leaf.checkIssued(root)).toBe(true)
    for (const name of names.slice(1)) expect(leaf.checkIP(name)).toBe(name)
    expect(leaf.checkHost('localhost')).toBe('localhost')
    expect(leaf.checkHost('example.org')).toBeUndefined()
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  })

  it('pass the strict checks of openssl', () => {
    const client = loadAuthority(authority).issueClient({ commonName: 'ann', organizations: ['b', 'a'] })
    const verify = (pem: string, purpose: string): string =>
      execFileSync(
        'bash',
        [
          '-c',
          'openssl verify -x509_strict -purpose "$0" -CAfile <(echo "$1") <(echo "$2")',
          purpose,
          authority.cert,
          pem,
        ],
        {
          encoding: 'utf8',
          stdio: 'pipe',
        },
      )
    expect(verify(server.cert, 'sslserver')).toContain('OK')
    expect(verify(client.cert, 'sslclient')).toContain('OK')
    expect(() => verify(client.cert, 'sslserver')).toThrow()
    expect(new X509Certificate(client.cert).subject).toBe('O=b\nO=a\nCN=ann')
  })

  it('are valid for the given time, also beyond 2049', () => {
    const until = Date.UTC(2060, 5, 7, 8, 9, 10)
    const { cert } = authority.issueClient({ commonName: 'x' }, { from: Date.UTC(2020, 0, 2), until })
    const { validFrom, validTo } = new X509Certificate(cert)
    expect([Date.parse(validFrom), Date.parse(validTo)]).toEqual([Date.UTC(2020, 0, 2), until])
  })
})

describe('client certificates', () => {
  const ann = authority.issueClient({ commonName: 'ann', organizations: ['system:masters', 'ops'] })

  it('identify the peer over HTTP/1.1 and HTTP/2', async () => {
    const listener = await listen(tellPeer, { ...server, clientCa: authority.cert })
    const expected = {
      address: '127.0.0.1',
      certificate: { commonName: 'ann', organizations: ['system:masters', 'ops'] },
    }
    const answer = await runtime.http.request({ origin: originOf(listener), tls: { ca: authority.cert, ...ann } }, get)
    expect(JSON.parse(Buffer.from(answer.body as Uint8Array).toString())).toEqual(expected)
    const session = connectHttp2(originOf(listener), { ca: authority.cert, ...ann })
    const stream = session.request({ ':path': '/' })
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    session.close()
    expect(JSON.parse(text)).toEqual(expected)
  })

  it('do not identify the peer when missing or signed by another authority', async () => {
    const listener = await listen(tellPeer, { ...server, clientCa: authority.cert })
    const stranger = createAuthority('stranger').issueClient({ commonName: 'eve', organizations: ['system:masters'] })
    for (const tls of [{ ca: authority.cert }, { ca: authority.cert, ...stranger }]) {
      const answer = await runtime.http.request({ origin: originOf(listener), tls }, get)
      expect(JSON.parse(Buffer.from(answer.body as Uint8Array).toString())).toEqual({ address: '127.0.0.1' })
    }
  })
})

describe('a client', () => {
  it('refuses a server it cannot verify, unless verification is skipped', async () => {
    const listener = await listen(tellPeer)
    const origin = originOf(listener)
    const other = createAuthority('other')
    await expect(runtime.http.request({ origin, tls: { ca: other.cert } }, get)).rejects.toThrow()
    expect((await runtime.http.request({ origin, tls: { insecureSkipVerify: true } }, get)).status).toBe(200)
  })

  it('verifies the given server name', async () => {
    const named = authority.issueServer({ commonName: 's', names: ['api.internal'] })
    const listener = await listen(tellPeer, named)
    const origin = originOf(listener)
    await expect(runtime.http.request({ origin, tls: { ca: authority.cert } }, get)).rejects.toThrow()
    const tls = { ca: authority.cert, serverName: 'api.internal' }
    expect((await runtime.http.request({ origin, tls }, get)).status).toBe(200)
  })
})

it('uses the proxy of the endpoint', async () => {
  const listener = await listen(tellPeer)
  const asked: string[] = []
  const proxy = createServer()
  proxy.on('connect', (request, near: Socket, head) => {
    asked.push(request.url ?? '')
    const far = connectTcp(listener.port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      far.write(head)
      far.pipe(near).pipe(far)
    })
    for (const socket of [near, far]) socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  const endpoint = { origin: originOf(listener), tls: { ca: authority.cert }, proxy: `http://127.0.0.1:${port}` }
  expect((await runtime.http.request(endpoint, get)).status).toBe(200)
  expect(asked).toEqual([`127.0.0.1:${listener.port}`])
  await runtime.close()
  proxy.close()
})

describe('a server', () => {
  it('uses a new certificate for new connections after a reload', async () => {
    const listener = await listen(tellPeer)
    const shown = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connectTls({ host: '127.0.0.1', port: listener.port, ca: authority.cert }, () => {
          resolve(String(socket.getPeerCertificate().subject.CN))
          socket.destroy()
        })
        socket.once('error', reject)
      })
    expect(await shown()).toBe('server')
    listener.reload(authority.issueServer({ commonName: 'renewed', names }))
    expect(await shown()).toBe('renewed')
  })

  it('aborts only the HTTP/2 stream that was closed', async () => {
    const gone: string[] = []
    const listener = await listen(async ({ target, signal }) => {
      const body = async function* (): HttpBody {
        yield encode(target)
        await runtime.clock.sleep(1e9, signal).catch(() => gone.push(target))
      }
      return { status: 200, headers: { connection: 'keep-alive' }, body: body() }
    })
    const session = connectHttp2(originOf(listener), { ca: authority.cert })
    const streams = ['/a', '/b'].map((path) => session.request({ ':path': path }))
    for (const stream of streams) await new Promise((resolve) => stream.once('data', resolve))
    streams[0]?.close(8)
    while (gone.length === 0) await runtime.clock.sleep(1)
    expect(gone).toEqual(['/a'])
    session.destroy()
    while (gone.length === 1) await runtime.clock.sleep(1)
    expect(gone).toEqual(['/a', '/b'])
  })

  it('sends header values as UTF-8 over HTTP/2, too', async () => {
    const listener = await listen(async () => ({ status: 200, headers: { warning: 'ü 日本' }, body: encode('') }))
    const session = connectHttp2(originOf(listener), { ca: authority.cert })
    const stream = session.request({ ':path': '/' })
    const headers = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve))
    session.destroy()
    expect(Buffer.from(String(headers['warning']), 'latin1').toString()).toBe('ü 日本')
  })

  it.each(['http/1.1', 'h2'])('reads a source no faster than a %s peer reads', async (protocol) => {
    let produced = 0
    const listener = await listen(async () => {
      const body = async function* (): HttpBody {
        while (produced < 1000) {
          produced++
          yield new Uint8Array(100_000)
        }
      }
      return { status: 200, headers: {}, body: body() }
    })
    const stop = await stalledReader(listener.port, protocol)
    // The rest of 100 MB must stay unproduced once all buffers on the way are full.
    let before = -1
    while (before !== produced) {
      before = produced
      await runtime.clock.sleep(50)
    }
    expect(produced).toBeGreaterThan(0)
    expect(produced).toBeLessThan(200)
    stop()
  })
})

/** Requests a body and never reads it. */
async function stalledReader(port: number, protocol: string): Promise<() => void> {
  if (protocol === 'h2') {
    const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: authority.cert })
    const stream = session.request({ ':path': '/' })
    await new Promise((resolve) => stream.once('response', resolve))
    return () => session.destroy()
  }
  const socket = connectTls({ host: '127.0.0.1', port, ca: authority.cert })
  await new Promise((resolve) => socket.once('secureConnect', resolve))
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  return () => socket.destroy()
}
