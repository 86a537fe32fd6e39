/**
 * The engine may die at any write: whoever comes after it ends every rollout as if nothing had happened, and no hook runs twice. Every
 * write of the first scenario, every third of the others; the long tier takes them all.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { expectChanceSound } from './rollout-chance.ts'
import { disturbWrites, expectSound } from './rollout-matrix.ts'
import { scenarios } from './rollout-scenarios.ts'
import { playScenario } from './rollout-world.ts'

let runs = 0
afterAll(() => void process.stdout.write(`rollouts: ${runs} runs with engines that died\n`))

describe.each(scenarios.map((scenario, index) => ({ ...scenario, stride: index === 0 ? 1 : 3 })))(
  '$name',
  ({ stride, ...scenario }) => {
    it('ends the same wherever the engine died', async () => {
      runs += await disturbWrites(scenario, stride)
    }, 120_000)
  },
)

describe('two engines at once', () => {
  it.each(scenarios.filter(({ kind }) => kind === 'Deployment'))(
    'end $name as one does, and start no Job twice',
    async (scenario) => {
      const alone = await playScenario(scenario, 1)
      for (const seed of [1, 2, 3]) {
        const both = await playScenario(scenario, seed, { engines: 2 })
        runs++
        expectSound(scenario, both)
        const { created: _, ...ending } = both.ending
        expect({ ...ending, created: both.ending.created.length }).toEqual({
          ...alone.ending,
          created: alone.ending.created.length,
        })
      }
    },
  )
})

describe('whatever happens', () => {
  it('keeps its promises, fifty numbers', async () => {
    for (let number = 1; number <= 50; number++) await expectChanceSound(number)
    runs += 50
  }, 120_000)
})
