import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { Lull } from './lull.ts'

function createWorld() {
  const simulation = createSimulation(1)
  const { clock } = simulation.domain('main').runtime
  const lull = new Lull(clock)
  const from = clock.monotonic()
  const coming = async () => {
    await lull.comes()
    return clock.monotonic() - from
  }
  return { simulation, clock, lull, coming }
}

describe('a lull', () => {
  it('is there where nothing has stirred', async () => {
    const { simulation, coming } = createWorld()
    expect(await simulation.run(coming)).toBe(0)
  })

  it('comes a second after the last stir', async () => {
    const { simulation, clock, lull, coming } = createWorld()
    const at = await simulation.run(async () => {
      lull.stir()
      const waiting = [coming(), coming()]
      for (let count = 0; count < 4; count++) {
        await clock.sleep(700)
        lull.stir()
      }
      return Promise.all(waiting)
    })
    expect(at).toEqual([3800, 3800])
  })

  it('is not waited for longer than ten seconds', async () => {
    const { simulation, clock, lull, coming } = createWorld()
    const at = await simulation.run(async () => {
      lull.stir()
      const waiting = coming()
      for (let count = 0; count < 40; count++) {
        await clock.sleep(500)
        lull.stir()
      }
      return waiting
    })
    expect(at).toBe(10_000)
  })

  it('is not waited for at the end', async () => {
    const { simulation, clock, lull, coming } = createWorld()
    const at = await simulation.run(async () => {
      lull.stir()
      const waiting = coming()
      await clock.sleep(300)
      lull.hurry()
      return [await waiting, await coming()]
    })
    expect(at).toEqual([300, 300])
  })
})
