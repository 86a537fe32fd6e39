import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { waitingOn } from './waiting.ts'

describe('waiting', () => {
  it('says at once and only once what is waited for, when the output is no terminal', async () => {
    const simulation = createSimulation(1)
    const written: string[] = []
    const output = { write: (text: string) => void written.push(text), isTerminal: false, columns: 80 }
    await simulation.run(async () => {
      const waiting = waitingOn(output, simulation.runtime.clock)
      waiting.say('at 0: waits for migrate')
      expect(written.join('')).toMatch(/^\d\d:\d\d:\d\d {2}at 0: waits for migrate\n$/)
      waiting.say('at 0: waits for migrate')
      waiting.say('at 50%: waits for smoke')
      waiting.stop()
    })
    expect(written).toHaveLength(2)
  })
})
