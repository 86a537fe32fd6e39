/** Every fault at every write of every scenario, and many seeds for two processes at once. */
import { afterAll, describe, expect, it } from 'vitest'
import { disturbItems, itemFaults } from '../faults/deployer-matrix.ts'
import { scenarios } from '../faults/deployer-scenarios.ts'
import { playScenario } from '../faults/deployer-world.ts'
import { numbersFor, playNumber } from '../replay/numbers.ts'

const runs: Record<string, number> = {}
const count = (how: string, more: number) => {
  runs[how] = (runs[how] ?? 0) + more
}
afterAll(() => void process.stdout.write(`deployers: runs with faults: ${JSON.stringify(runs)}\n`))

describe.each(scenarios)('$name', (scenario) => {
  it.each(itemFaults)('ends the same with the fault %s at any write', async (how) => {
    const disturbed = await disturbItems(scenario, how, 1)
    count(how, disturbed)
    expect(disturbed).toBeGreaterThan(0)
  })

  // Only the leader reconciles executions, so two processes never do at once.
  if (scenario.isLed) return
  it('ends the same with two processes at once, for fifty seeds', async () => {
    const single = await playScenario(scenario, 1)
    const numbers = Array.from({ length: 50 }, (_, index) => index + 1)
    for (const number of numbersFor('deployers', numbers)) {
      await playNumber('deployers', number, async (seed) => {
        const both = await playScenario(scenario, seed, { engines: 2 })
        count('two at once', 1)
        expect({ seed, ...both.ending }).toEqual({ seed, ...single.ending })
      })
    }
  })
})
