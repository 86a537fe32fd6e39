import { describe, expect, it } from 'vitest'
import type { HttpHandler } from '../../runtime/http.ts'
import { createSimulation, type Domain } from '../../runtime/simulated/index.ts'
import { createClient } from '../client/create.ts'
import { type Lease, resources } from '../kinds/index.ts'
import { handlerTransport } from '../transport/handler.ts'
import { createLeadership } from './leadership.ts'
import type { Leadership } from './lease.ts'

/** One lease with an optimistic lock: all of an API server that leadership can see. */
class LeaseServer {
  lease: Lease | undefined
  /** Requests from these candidates are never answered. */
  readonly deaf = new Set<string>()
  #version = 0

  handlerFor(candidate: string): HttpHandler {
    return async ({ method, body, signal }) => {
      if (this.deaf.has(candidate)) {
        await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
      }
      if (method === 'GET') return this.lease === undefined ? refusal(404, 'NotFound') : answer(this.lease)
      const sent = JSON.parse(new TextDecoder().decode(body)) as Lease
      if (method === 'POST' && this.lease !== undefined) return refusal(409, 'AlreadyExists')
      if (method === 'PUT' && this.lease === undefined) return refusal(404, 'NotFound')
      const version = this.lease?.metadata.resourceVersion
      if (method === 'PUT' && sent.metadata.resourceVersion !== version) return refusal(409, 'Conflict')
      this.touch(sent)
      return answer(sent)
    }
  }

  remove(): void {
    this.lease = undefined
  }

  touch(lease: Lease): void {
    lease.metadata.resourceVersion = String(++this.#version)
    this.lease = lease
  }
}

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const answer = (lease: Lease) => ({ status: 200, headers: {}, body: encode(lease) })
const refusal = (code: number, reason: string) => ({
  status: code,
  headers: {},
  body: encode({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason }),
})

/** Candidates a, b, … in processes of their own, and a record of who worked when. */
function createCandidates(names: readonly string[], seed = 1) {
  const simulation = createSimulation(seed)
  const server = new LeaseServer()
  const working = new Set<string>()
  const story: string[] = []
  const stops = new Map<string, AbortController>()
  const leaderships = new Map<string, Leadership>()
  let most = 0
  const start = (name: string): Domain => {
    const domain = simulation.domain(name)
    const { runtime } = domain
    const transport = handlerTransport(domain.connect(server.handlerFor(name)))
    const client = createClient({ transport, runtime }).of<Lease>(resources.leases)
    const leadership = createLeadership(client, runtime, { namespace: 'ops', name: 'carabiner', identity: name })
    leaderships.set(name, leadership)
    const stop = new AbortController()
    stops.set(name, stop)
    const work = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        working.add(name)
        most = Math.max(most, working.size)
        story.push(`${name} begins`)
        signal.addEventListener('abort', () => {
          working.delete(name)
          story.push(`${name} stops`)
          resolve()
        })
      })
    void leadership.run(work, stop.signal)
    return domain
  }
  const domains = new Map(names.map((name) => [name, start(name)]))
  return { simulation, server, working, story, stops, leaderships, domains, most: () => most, start }
}

describe('leadership', () => {
  it('gives work to exactly one of three candidates', async () => {
    const { simulation, working, server, most } = createCandidates(['a', 'b', 'c'])
    await simulation.advance(600_000)
    expect(working.size).toBe(1)
    expect(most()).toBe(1)
    expect(server.lease?.spec).toMatchObject({ holderIdentity: [...working][0], leaseDurationSeconds: 15 })
    expect(server.lease?.spec?.leaseTransitions).toBe(0)
    expect(server.lease?.spec?.renewTime).toMatch(/^2026-01-01T00:\d\d:\d\d\.\d{6}Z$/)
  })

  it('passes on within seconds when the leader goes in good order', async () => {
    const { simulation, story, stops, server } = createCandidates(['a'])
    await simulation.advance(1_000)
    expect(story).toEqual(['a begins'])
    stops.get('a')?.abort()
    await simulation.advance(100)
    expect(server.lease?.spec).not.toHaveProperty('holderIdentity')
    expect(story).toEqual(['a begins', 'a stops'])
  })

  it('takes over from a leader that died only when its lease has run out', async () => {
    const { simulation, working, domains, start } = createCandidates(['a'])
    await simulation.advance(60_000)
    start('b')
    await simulation.advance(60_000)
    domains.get('a')?.halt()
    await simulation.advance(12_900)
    expect([...working]).toEqual(['a'])
    await simulation.advance(7_000)
    expect([...working]).toEqual(['a', 'b'])
    const waiting = simulation.logs.filter(({ message }) => message.startsWith('standing by'))
    expect(waiting.map(({ fields }) => fields)).toMatchObject([{ identity: 'b', holder: 'a' }])
  })

  it('stops when it cannot renew, before another process can begin', async () => {
    const { simulation, working, server, story, most, leaderships, start } = createCandidates(['a'])
    await simulation.advance(30_000)
    start('b')
    await simulation.advance(30_000)
    server.deaf.add('a')
    await simulation.advance(10_000)
    expect([...working]).toEqual([])
    expect(leaderships.get('a')?.leading).toBe(false)
    await simulation.advance(12_000)
    expect([...working]).toEqual(['b'])
    server.deaf.delete('a')
    await simulation.advance(60_000)
    expect(story).toEqual(['a begins', 'a stops', 'b begins'])
    expect(most()).toBe(1)
    expect(server.lease?.spec?.leaseTransitions).toBe(1)
  })

  it('renews every four seconds', async () => {
    const { simulation, server } = createCandidates(['a'])
    await simulation.advance(30_000)
    const before = Number(server.lease?.metadata.resourceVersion)
    await simulation.advance(60_000)
    expect(Number(server.lease?.metadata.resourceVersion) - before).toBe(15)
  })

  it('retries a hanging renewal at once before the deadline', async () => {
    const { simulation, server, story } = createCandidates(['a'])
    await simulation.advance(30_000)
    server.deaf.add('a')
    await simulation.advance(5_000)
    server.deaf.delete('a')
    await simulation.advance(60_000)
    expect(story).toEqual(['a begins'])
  })

  it('stops at once when another process holds the lease', async () => {
    const { simulation, working, server, story } = createCandidates(['a'])
    await simulation.advance(30_000)
    server.touch({ ...(server.lease as Lease), spec: { holderIdentity: 'usurper', leaseDurationSeconds: 5 } })
    await simulation.advance(4_001)
    expect(working.size).toBe(0)
    await simulation.advance(12_000)
    expect(story).toEqual(['a begins', 'a stops', 'a begins'])
  })

  it('keeps the lease when someone else labels or deletes it', async () => {
    const { simulation, server, story } = createCandidates(['a'])
    await simulation.advance(30_000)
    const lease = server.lease as Lease
    server.touch({ ...lease, metadata: { ...lease.metadata, labels: { seen: 'yes' } } })
    await simulation.advance(30_000)
    expect(server.lease?.metadata.labels).toEqual({ seen: 'yes' })
    server.remove()
    await simulation.advance(30_000)
    expect(server.lease?.spec?.holderIdentity).toBe('a')
    expect(story).toEqual(['a begins'])
  })

  it('works with wrong or jumping clocks', async () => {
    const { simulation, story, domains, most, start } = createCandidates(['a'])
    domains.get('a')?.jumpClock(-86_400_000)
    start('b').jumpClock(86_400_000)
    await simulation.advance(120_000)
    domains.get('a')?.jumpClock(10 * 86_400_000)
    await simulation.advance(120_000)
    expect(story).toHaveLength(1)
    expect(most()).toBe(1)
  })

  it('ends when the work ends, and releases the lease', async () => {
    const simulation = createSimulation(7)
    const server = new LeaseServer()
    const { runtime } = simulation
    const client = createClient({ transport: handlerTransport(server.handlerFor('a')), runtime })
    const options = { namespace: 'ops', name: 'carabiner', identity: 'a' }
    const leadership = createLeadership(client.of(resources.leases), runtime, options)
    const failing = leadership.run(() => Promise.reject(new Error('work failed')), new AbortController().signal)
    await expect(simulation.run(() => failing)).rejects.toThrow('work failed')
    expect(server.lease?.spec?.holderIdentity).toBeUndefined()
    await simulation.run(() => leadership.run(() => Promise.resolve(), new AbortController().signal))
    expect(leadership.leading).toBe(false)
  })

  it('never lets two processes work at once, whatever crashes, hangs or jumps', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { simulation, server, most, domains } = createCandidates(['a', 'b', 'c'], seed)
      const { random } = simulation.runtime
      for (let round = 0; round < 30; round++) {
        const name = 'abc'[Math.floor(random.next() * 3)] ?? 'a'
        if (server.deaf.has(name)) server.deaf.delete(name)
        else server.deaf.add(name)
        domains.get(name)?.jumpClock((random.next() - 0.5) * 100_000)
        await simulation.advance(random.next() * 20_000)
      }
      expect(most(), `seed ${seed}`).toBe(1)
    }
  })
})
