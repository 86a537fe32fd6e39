import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { RunFolders } from './files.ts'

describe('folders of runs', () => {
  it('are removed when they have not been used for a while, although others are in use', async () => {
    const { runtime, run } = inSimulation()
    await run(async () => {
      const { clock, files } = runtime
      const folders = new RunFolders(runtime, '/tmp')
      const together = await Promise.all([1, 2, 3].map(() => folders.take('standalone')))
      for (const folder of together) folders.giveBack('standalone', folder)
      // One run after the other, without a pause.
      for (let time = 0; time < 1000; time += 50) {
        const folder = await folders.take('standalone')
        await clock.sleep(50)
        folders.giveBack('standalone', folder)
        await clock.sleep(0)
      }
      // While one is made ready again the next run takes another.
      expect((await files.list('/tmp')).length).toBeLessThanOrEqual(2)
      await clock.sleep(1000)
      expect(await files.list('/tmp')).toEqual([])
      await folders.close()
    })
  })
})

function inSimulation() {
  const simulation = createSimulation(1)
  return { runtime: simulation.runtime, run: (main: () => Promise<void>) => simulation.run(main) }
}
