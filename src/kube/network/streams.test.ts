import { Agent } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HttpListener } from '../../runtime/http.ts'
import { createAuthority, createRealRuntime, type RealRuntime } from '../../runtime/real/index.ts'
import { StreamConnections } from './streams.ts'

describe('StreamConnections', () => {
  const authority = createAuthority('test')
  const single = new Agent()
  let runtime: RealRuntime
  let listener: HttpListener

  beforeAll(async () => {
    runtime = createRealRuntime()
    const tls = authority.issueServer({ commonName: 'local', names: ['127.0.0.1'] })
    const ok = { status: 200, headers: {}, body: new Uint8Array() }
    listener = await runtime.http.listen({ host: '127.0.0.1', port: 0, tls }, async () => ok)
  })
  afterAll(async () => {
    await single.close()
    await listener.close()
    await runtime.close()
  })

  const connections = (isDirect = true) =>
    new StreamConnections(new URL(`https://127.0.0.1:${listener.port}`), {
      ...{ connect: { ca: authority.cert }, single, isDirect },
    })

  async function leases(pool: StreamConnections, count: number) {
    const taken: Awaited<ReturnType<StreamConnections['lease']>>[] = []
    for (let index = 0; index < count; index++) taken.push(await pool.lease(true))
    return taken
  }

  it('opens at most 90 streams per connection', async () => {
    const pool = connections()
    const taken = await leases(pool, 200)
    expect(new Set(taken.map(({ dispatcher }) => dispatcher)).size).toBe(3)
    taken[0]?.release()
    taken[0]?.release()
    expect((await pool.lease(true)).dispatcher).toBe(taken[0]?.dispatcher)
    expect((await pool.lease(true)).dispatcher).not.toBe(taken[0]?.dispatcher)
    await pool.destroy()
  })

  it('opens no further stream on a connection after a failed one', async () => {
    const pool = connections()
    const [first, second] = await leases(pool, 2)
    expect(second?.dispatcher).toBe(first?.dispatcher)
    first?.abandon()
    expect((await pool.lease(true)).dispatcher).not.toBe(first?.dispatcher)
    await pool.destroy()
  })

  it('does not share connections through a proxy or with repeated headers', async () => {
    expect((await connections(false).lease(true)).dispatcher).toBe(single)
    expect((await connections().lease(false)).dispatcher).toBe(single)
  })
})
