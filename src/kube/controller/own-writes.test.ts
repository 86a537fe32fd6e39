import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { OwnWrites } from './own-writes.ts'

function createWorld() {
  const simulation = createSimulation(1)
  const { clock } = simulation.domain('main').runtime
  const writes = new OwnWrites(clock, 5_000)
  const object = (uid: string, resourceVersion = '1') => ({ metadata: { uid, resourceVersion } })
  const pending = (shown: Readonly<Record<string, string>>) => writes.pending('key', (uid) => shown[uid])
  return { simulation, writes, object, pending }
}

describe('OwnWrites', () => {
  it('is not pending without writes', () => {
    expect(createWorld().pending({})).toBeUndefined()
  })

  it('is pending until the cache shows the updated version or a newer one', () => {
    const { writes, object, pending } = createWorld()
    writes.updated('key', object('a', '10'))
    expect(pending({ a: '9' })).toEqual({ requeueAfterMs: 5_000 })
    expect(pending({ a: '11' })).toBeUndefined()
    expect(pending({ a: '9' })).toBeUndefined()
  })

  it('is not pending when an updated object was deleted by someone else', () => {
    const { writes, object, pending } = createWorld()
    writes.updated('key', object('a', '10'))
    expect(pending({})).toBeUndefined()
  })

  it('is pending until a created object appears and a deleted one disappears', () => {
    const { writes, object, pending } = createWorld()
    writes.created('key', object('a'))
    writes.deleted('key', object('b'))
    expect(pending({ b: '1' })).toBeDefined()
    expect(pending({ a: '1', b: '1' })).toBeDefined()
    expect(pending({ a: '1' })).toBeUndefined()
  })

  it('gives up on a write that the cache does not show in time', async () => {
    const { simulation, writes, object, pending } = createWorld()
    writes.created('key', object('a'))
    await simulation.advance(4_000)
    expect(pending({})).toEqual({ requeueAfterMs: 1_000 })
    await simulation.advance(1_000)
    expect(pending({})).toBeUndefined()
  })

  it('keeps the writes of keys apart and forgets a key', () => {
    const { writes, object, pending } = createWorld()
    writes.created('other', object('a'))
    expect(pending({})).toBeUndefined()
    writes.created('key', object('a'))
    writes.forget('key')
    expect(pending({})).toBeUndefined()
  })
})
