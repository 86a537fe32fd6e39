/** Every fault at every write of every scenario, and many numbers for two processes at once. */
import { describe, expect, it } from 'vitest'
import { disturbItems, itemFaults } from '../faults/deployer-matrix.ts'
import { scenarios } from '../faults/deployer-scenarios.ts'
import { playScenario } from '../faults/deployer-world.ts'

describe.each(scenarios)('$name', (scenario) => {
  it.each(itemFaults)('ends the same wherever the fault %s comes', async (how) => {
    expect(await disturbItems(scenario, how, 1)).toBeGreaterThanOrEqual(0)
  })

  it('ends the same with two processes at once, fifty numbers', async () => {
    const alone = await playScenario(scenario, 1)
    for (let seed = 1; seed <= 50; seed++) {
      const both = await playScenario(scenario, seed, { engines: 2 })
      expect({ seed, ...both.ending }).toEqual({ seed, ...alone.ending })
    }
  })
})
