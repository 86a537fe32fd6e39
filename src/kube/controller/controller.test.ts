import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { ApiError } from '../errors.ts'
import { Store } from '../reflector/store.ts'
import { type ControllerOptions, runController } from './controller.ts'
import { TerminalError } from './result.ts'
import { source } from './source.ts'

function refused(httpStatus: number, status: { reason?: string; details?: object }, retryAfter?: number): ApiError {
  const request = { method: 'PUT', target: '/api/v1/namespaces/shop/pods/web' }
  return new ApiError(
    request,
    httpStatus,
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', ...status },
    retryAfter,
  )
}
const terminating = refused(403, { details: { causes: [{ reason: 'NamespaceTerminating' }] } })

interface Part {
  readonly owner: string
}

function createWorld() {
  const simulation = createSimulation(3)
  const { runtime } = simulation
  const wholes = new Store<string>(runtime.log)
  const parts = new Store<Part>(runtime.log)
  const stop = new AbortController()
  const seen: string[] = []
  const begin = (reconcile: ControllerOptions['reconcile'] = () => Promise.resolve(undefined)) =>
    runController({
      name: 'wholes',
      runtime,
      sources: [source(wholes), source(parts, (part) => [part.owner])],
      reconcile: (key, signal) => {
        seen.push(key)
        return reconcile(key, signal)
      },
      signal: stop.signal,
    })
  let version = 0
  function put<T>(store: Store<T>, key: string, value: T): void {
    const change = store.put(key, { value, version: String(++version) })
    if (change !== undefined) store.notify(change)
  }
  function remove<T>(store: Store<T>, key: string): void {
    const change = store.remove(key)
    if (change !== undefined) store.notify(change)
  }
  /** The keys reconciled since the last call. */
  const look = async () => {
    await simulation.advance(1)
    return seen.splice(0).sort()
  }
  return { simulation, runtime, wholes, parts, stop, begin, put, remove, look }
}

describe('runController', () => {
  it('waits for all caches, then reconciles every key in them', async () => {
    const { wholes, parts, begin, put, look } = createWorld()
    put(wholes, 'a', 'A')
    put(parts, 'p', { owner: 'orphaned' })
    void begin()
    wholes.markSynced()
    expect(await look()).toEqual([])
    parts.markSynced()
    expect(await look()).toEqual(['a', 'orphaned'])
  })

  it('reconciles every key that a change affects, by its old and its new value', async () => {
    const { wholes, parts, begin, put, remove, look } = createWorld()
    wholes.markSynced()
    parts.markSynced()
    void begin()
    put(wholes, 'a', 'A')
    put(parts, 'p', { owner: 'a' })
    expect(await look()).toEqual(['a'])
    put(parts, 'p', { owner: 'b' })
    expect(await look()).toEqual(['a', 'b'])
    remove(parts, 'p')
    expect(await look()).toEqual(['b'])
    remove(wholes, 'a')
    expect(await look()).toEqual(['a'])
  })

  it('retries only the key that failed, and counts results', async () => {
    const { simulation, runtime, wholes, parts, begin, put, look } = createWorld()
    wholes.markSynced()
    parts.markSynced()
    void begin((key) => {
      if (key === 'bad') throw new Error('cannot')
      return Promise.resolve(undefined)
    })
    put(wholes, 'bad', 'x')
    put(wholes, 'good', 'x')
    expect(await look()).toEqual(['bad', 'good'])
    await simulation.advance(20)
    expect(await look()).toEqual(['bad', 'bad'])
    const text = await runtime.metrics.render()
    expect(text).toContain('carabiner_controller_reconciles_total{controller="wholes",result="error"} 3')
    expect(text).toContain('carabiner_controller_reconciles_total{controller="wholes",result="done"} 1')
  })

  it('requeues a key after the time its reconcile returned', async () => {
    const { simulation, wholes, parts, begin, put, look } = createWorld()
    wholes.markSynced()
    parts.markSynced()
    void begin(() => Promise.resolve({ requeueAfterMs: 60_000 }))
    put(wholes, 'a', 'A')
    expect(await look()).toEqual(['a'])
    await simulation.advance(59_000)
    expect(await look()).toEqual([])
    await simulation.advance(1_000)
    expect(await look()).toEqual(['a'])
  })

  // Reconciles within 20 ms and within 2 s.
  it.each<[string, Error, [number, number], string]>([
    ['a conflict with back-off', refused(409, { reason: 'Conflict' }), [3, 9], 'again'],
    ['no refusal in a terminating namespace', terminating, [1, 1], 'done'],
    ['no terminal error', new TerminalError('spec.size must not be negative'), [1, 1], 'error'],
    ['a refusal with Retry-After when that time is over', refused(429, {}, 1), [1, 2], 'error'],
  ])('retries %s', async (_, error, [early, late], result) => {
    const { simulation, runtime, wholes, parts, begin, put, look } = createWorld()
    wholes.markSynced()
    parts.markSynced()
    void begin(() => Promise.reject(error))
    put(wholes, 'a', 'A')
    await simulation.advance(19)
    expect(await look()).toHaveLength(early)
    await simulation.advance(1_979)
    expect(await look()).toHaveLength(late - early)
    const metric = `carabiner_controller_reconciles_total{controller="wholes",result="${result}"} ${late}`
    expect(await runtime.metrics.render()).toContain(metric)
  })

  it('leaves no listeners on the shared signal', async () => {
    const { simulation, wholes, parts, stop, begin, put } = createWorld()
    void begin((_, signal) => {
      signal.addEventListener('abort', () => {})
      return Promise.resolve(undefined)
    })
    wholes.markSynced()
    parts.markSynced()
    put(wholes, 'a', 'A')
    await simulation.advance(1)
    expect(getEventListeners(stop.signal, 'abort')).toEqual([])
  })

  it('ends when its signal aborts, while it waits for caches and while it reconciles', async () => {
    const waiting = createWorld()
    const never = waiting.begin()
    waiting.stop.abort()
    await waiting.simulation.run(() => never)

    const { simulation, wholes, parts, stop, begin, put, look } = createWorld()
    wholes.markSynced()
    parts.markSynced()
    const running = begin()
    put(wholes, 'a', 'A')
    await look()
    stop.abort()
    await simulation.run(() => running)
    put(wholes, 'a', 'B')
    expect(await look()).toEqual([])
  })
})
