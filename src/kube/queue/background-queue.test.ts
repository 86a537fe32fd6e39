import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { BackgroundQueue } from './background-queue.ts'

function createWorld(concurrency?: number) {
  const simulation = createSimulation(1)
  const { clock } = simulation.domain('main').runtime
  const queue = new BackgroundQueue(clock, concurrency)
  const begun: [name: string, at: number][] = []
  const from = clock.monotonic()
  const work = (name: string, takes: number) =>
    queue.run(async () => {
      begun.push([name, clock.monotonic() - from])
      await clock.sleep(takes)
      return name
    })
  return { simulation, queue, begun, work }
}

describe('BackgroundQueue', () => {
  it('pauses in proportion to the duration of the last task, and not after a fast one', async () => {
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

  it('limits the pause after a slow task and continues after a failed one', async () => {
    const { simulation, queue, begun, work } = createWorld()
    await simulation.run(async () => {
      await expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
      const throws = () => {
        throw new Error('never')
      }
      await expect(queue.run(throws)).rejects.toThrow('never')
      await Promise.all([work('a', 60_000), work('b', 0)])
    })
    expect(begun.at(-1)).toEqual(['b', 62_000])
  })

  it('runs as many tasks at a time as it is allowed to', async () => {
    const { simulation, begun, work } = createWorld(2)
    await simulation.run(() => Promise.all([work('a', 20), work('b', 40), work('c', 0)]))
    expect(begun).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 110],
    ])
  })

  it('spreads a burst of tasks over time', async () => {
    const { simulation, begun, work } = createWorld()
    await simulation.run(() => Promise.all(Array.from({ length: 70 }, (_, index) => work(String(index), 0))))
    const at = begun.map(([, time]) => time)
    expect([at[29], at[30], at[69]]).toEqual([0, 100, 4000])
  })

  it('does not spread a burst while it drains', async () => {
    const { simulation, queue, begun, work } = createWorld()
    await simulation.run(async () => {
      const all = Array.from({ length: 70 }, (_, index) => work(String(index), 0))
      queue.drain()
      await Promise.all(all)
    })
    expect(begun.at(-1)).toEqual(['69', 0])
  })

  it('runs all tasks at once while it drains', async () => {
    const { simulation, queue, begun, work } = createWorld()
    await simulation.run(async () => {
      const all = ['a', 'b', 'c'].map((name) => work(name, 100))
      queue.drain()
      await Promise.all([...all, work('d', 100)])
    })
    expect(begun.map(([, at]) => at)).toEqual([0, 0, 0, 0])
  })
})
