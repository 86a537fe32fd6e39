import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { Leisure } from './leisure.ts'

function createWorld(most?: number) {
  const simulation = createSimulation(1)
  const { clock } = simulation.domain('main').runtime
  const leisure = new Leisure(clock, most)
  const begun: [name: string, at: number][] = []
  const from = clock.monotonic()
  const work = (name: string, takes: number) =>
    leisure.do(async () => {
      begun.push([name, clock.monotonic() - from])
      await clock.sleep(takes)
      return name
    })
  return { simulation, leisure, begun, work }
}

describe('leisure', () => {
  it('pauses the longer, the longer the work before took, and not at all where that is quick', async () => {
    const { simulation, begun, work } = createWorld()
    const all = await simulation.run(() => Promise.all([work('a', 20), work('b', 60), work('c', 10), work('d', 0)]))
    expect(all).toEqual(['a', 'b', 'c', 'd'])
    expect(begun).toEqual([
      ['a', 0],
      ['b', 110],
      ['c', 620],
      ['d', 630],
    ])
  })

  it('lets no work wait for ever behind one that took long, and none fall with one that failed', async () => {
    const { simulation, leisure, begun, work } = createWorld()
    await simulation.run(async () => {
      await expect(leisure.do(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
      const throws = () => {
        throw new Error('never')
      }
      await expect(leisure.do(throws)).rejects.toThrow('never')
      await Promise.all([work('a', 60_000), work('b', 0)])
    })
    expect(begun.at(-1)).toEqual(['b', 62_000])
  })

  it('does several things at a time where it may', async () => {
    const { simulation, begun, work } = createWorld(2)
    await simulation.run(() => Promise.all([work('a', 20), work('b', 40), work('c', 0)]))
    expect(begun).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 110],
    ])
  })

  it('spreads a flood over time', async () => {
    const { simulation, begun, work } = createWorld()
    await simulation.run(() => Promise.all(Array.from({ length: 70 }, (_, index) => work(String(index), 0))))
    const at = begun.map(([, time]) => time)
    expect([at[29], at[30], at[69]]).toEqual([0, 100, 4000])
  })

  it('leaves a flood unspread in a hurry', async () => {
    const { simulation, leisure, begun, work } = createWorld()
    await simulation.run(async () => {
      const all = Array.from({ length: 70 }, (_, index) => work(String(index), 0))
      leisure.hurry()
      await Promise.all(all)
    })
    expect(begun.at(-1)).toEqual(['69', 0])
  })

  it('does everything at once in a hurry', async () => {
    const { simulation, leisure, begun, work } = createWorld()
    await simulation.run(async () => {
      const all = ['a', 'b', 'c'].map((name) => work(name, 100))
      leisure.hurry()
      await Promise.all([...all, work('d', 100)])
    })
    expect(begun.map(([, at]) => at)).toEqual([0, 0, 0, 0])
  })
})
