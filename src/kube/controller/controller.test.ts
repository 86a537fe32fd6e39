import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { createWorkQueue } from '../queue/workqueue.ts'
import { Store } from '../reflector/store.ts'
import { type ControllerOptions, runController } from './controller.ts'
import { source } from './source.ts'

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
      queue: createWorkQueue(runtime, { name: 'wholes' }),
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
    if (change !== undefined) store.tell(change)
  }
  function remove<T>(store: Store<T>, key: string): void {
    const change = store.remove(key)
    if (change !== undefined) store.tell(change)
  }
  /** What was seen since the last look. */
  const look = async () => {
    await simulation.advance(1)
    return seen.splice(0).sort()
  }
  return { simulation, runtime, wholes, parts, stop, begin, put, remove, look }
}

describe('a controller', () => {
  it('waits for all caches, then looks at everything that is there', async () => {
    const { wholes, parts, begin, put, look } = createWorld()
    put(wholes, 'a', 'A')
    put(parts, 'p', { owner: 'orphaned' })
    void begin()
    wholes.markSynced()
    expect(await look()).toEqual([])
    parts.markSynced()
    expect(await look()).toEqual(['a', 'orphaned'])
  })

  it('looks at every key a change concerns, before and after', async () => {
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

  it('keeps the failure of one key from the others, and counts results', async () => {
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

  it('looks again when asked to', async () => {
    const { simulation, wholes, parts, begin, put, look } = createWorld()
    wholes.markSynced()
    parts.markSynced()
    void begin(() => Promise.resolve({ after: 60_000 }))
    put(wholes, 'a', 'A')
    expect(await look()).toEqual(['a'])
    await simulation.advance(59_000)
    expect(await look()).toEqual([])
    await simulation.advance(1_000)
    expect(await look()).toEqual(['a'])
  })

  it('puts no burden on the signal it shares with others', async () => {
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

  it('ends with its signal, while waiting for caches and while at work', async () => {
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
