import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { IdlePeriod } from './idle-period.ts'

function createWorld() {
  const simulation = createSimulation(1)
  const { clock } = simulation.domain('main').runtime
  const idlePeriod = new IdlePeriod(clock)
  const from = clock.monotonic()
  const waitedMs = async () => {
    await idlePeriod.wait()
    return clock.monotonic() - from
  }
  return { simulation, clock, idlePeriod, waitedMs }
}

describe('IdlePeriod', () => {
  it('resolves at once when it was not reset', async () => {
    const { simulation, waitedMs } = createWorld()
    expect(await simulation.run(waitedMs)).toBe(0)
  })

  it('resolves a second after the last reset', async () => {
    const { simulation, clock, idlePeriod, waitedMs } = createWorld()
    const at = await simulation.run(async () => {
      idlePeriod.reset()
      const waiting = [waitedMs(), waitedMs()]
      for (let count = 0; count < 4; count++) {
        await clock.sleep(700)
        idlePeriod.reset()
      }
      return Promise.all(waiting)
    })
    expect(at).toEqual([3800, 3800])
  })

  it('resolves after ten seconds although it is reset all the time', async () => {
    const { simulation, clock, idlePeriod, waitedMs } = createWorld()
    const at = await simulation.run(async () => {
      idlePeriod.reset()
      const waiting = waitedMs()
      for (let count = 0; count < 40; count++) {
        await clock.sleep(500)
        idlePeriod.reset()
      }
      return waiting
    })
    expect(at).toBe(10_000)
  })

  it('resolves at once when it is skipped', async () => {
    const { simulation, clock, idlePeriod, waitedMs } = createWorld()
    const at = await simulation.run(async () => {
      idlePeriod.reset()
      const waiting = waitedMs()
      await clock.sleep(300)
      idlePeriod.skip()
      return [await waiting, await waitedMs()]
    })
    expect(at).toEqual([300, 300])
  })
})
