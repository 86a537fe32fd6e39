import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { Bookmarks } from './bookmarks.ts'

describe('bookmarks', () => {
  it('strike once a minute for everybody, in one turn, and not at all for nobody', async () => {
    const simulation = createSimulation(1)
    const bookmarks = new Bookmarks(simulation.clock)
    const struck: string[] = []
    await simulation.run(async () => {
      const stopFirst = bookmarks.follow(() => struck.push('first'))
      await simulation.clock.sleep(30_000)
      const stopSecond = bookmarks.follow(() => struck.push('second'))
      const before = simulation.turns
      await simulation.clock.sleep(60_000)
      expect(simulation.turns - before).toBe(2)
      stopFirst()
      await simulation.clock.sleep(60_000)
      expect(struck).toEqual(['first', 'second', 'second'])
      stopSecond()
      const rest = simulation.turns
      await simulation.clock.sleep(600_000)
      expect(simulation.turns - rest).toBe(1)
      bookmarks.follow(() => struck.push('third'))
      await simulation.clock.sleep(60_000)
      expect(struck).toEqual(['first', 'second', 'second', 'third'])
    })
  })
})
