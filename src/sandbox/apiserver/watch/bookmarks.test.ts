import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { Bookmarks } from './bookmarks.ts'

describe('bookmarks', () => {
  it('are sent to all watches by one timer a minute, which stops without watches', async () => {
    const simulation = createSimulation(1)
    const bookmarks = new Bookmarks(simulation.clock)
    const called: string[] = []
    await simulation.run(async () => {
      const stopFirst = bookmarks.follow(() => called.push('first'))
      await simulation.clock.sleep(30_000)
      const stopSecond = bookmarks.follow(() => called.push('second'))
      const before = simulation.turns
      await simulation.clock.sleep(60_000)
      expect(simulation.turns - before).toBe(2)
      stopFirst()
      await simulation.clock.sleep(60_000)
      expect(called).toEqual(['first', 'second', 'second'])
      stopSecond()
      const rest = simulation.turns
      await simulation.clock.sleep(600_000)
      expect(simulation.turns - rest).toBe(1)
      bookmarks.follow(() => called.push('third'))
      await simulation.clock.sleep(60_000)
      expect(called).toEqual(['first', 'second', 'second', 'third'])
    })
  })
})
