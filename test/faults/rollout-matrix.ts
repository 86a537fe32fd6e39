/** Every scenario with every fault, shared among processes; the number of runs is printed. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Fault, faults } from '../../src/cli/rollout/simulation/engines.ts'
import { Crew } from './crew/crew.ts'
import { scenarios } from './rollout-scenarios.ts'

/** A fault comes at every so many writes. */
export function describeFaults(strides: Readonly<Record<Fault, number>>): void {
  const runs = new Map<string, number>()
  let crew: Crew | undefined
  beforeAll(async () => {
    crew = await Crew.gather()
  })
  afterAll(() => {
    crew?.dismiss()
    const counts = Array.from(runs, ([name, count]) => `  ${String(count).padStart(5)}  ${name}\n`).join('')
    const all = [...runs.values()].reduce((sum, count) => sum + count, 0)
    process.stdout.write(`rollouts: ${all} runs with engines that died or were deaf\n${counts}`)
  })
  describe.concurrent.each(scenarios)('$name', ({ name }) => {
    it.each(faults)(
      '[rollouts W13] ends the same wherever the fault %s comes',
      async (fault) => {
        const count = (await crew?.play({ scenario: name, fault, stride: strides[fault] })) ?? 0
        runs.set(name, (runs.get(name) ?? 0) + count)
      },
      600_000,
    )
  })
}
