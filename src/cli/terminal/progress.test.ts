import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { Progress } from './progress.ts'

function record(isTerminal: boolean) {
  const written: string[] = []
  return { written, output: { write: (text: string) => void written.push(text), isTerminal, columns: 80 } }
}

describe('progress', () => {
  it('is one plain line per step without a terminal', async () => {
    const simulation = createSimulation(1)
    const { written, output } = record(false)
    await simulation.run(async () => {
      const progress = new Progress(output, simulation.runtime.clock)
      progress.step('cluster')
      await simulation.runtime.clock.sleep(1500)
      progress.step('operator')
      progress.done('ready')
    })
    expect(written.join('')).toBe('✓ cluster\n✓ operator\nready (1.5 s)\n')
  })

  it('is animated on a terminal and clears its line', async () => {
    const simulation = createSimulation(1)
    const { written, output } = record(true)
    await simulation.run(async () => {
      const progress = new Progress(output, simulation.runtime.clock)
      progress.step('cluster')
      await simulation.runtime.clock.sleep(200)
      progress.stop()
    })
    expect(written.filter((text) => text.includes('cluster')).length).toBeGreaterThan(2)
    expect(written.at(-1)).toBe('\r\x1b[K')
  })
})
