/** Disturbs deployers before and after their writes, one run each, and holds every end against that of a run without a disturbance. */
import { expect } from 'vitest'
import type { Fault } from '../../src/cli/rollout/simulation/engines.ts'
import { playScenario, type Scenario } from './deployer-world.ts'

/** Deaths, and caches that are behind. */
export const itemFaults = ['restart', 'takeover', 'deaf'] as const satisfies readonly Fault[]

/** Disturbs every `stride`-th write in one way; the number of runs. */
export async function disturbItems(scenario: Scenario, how: Fault, stride: number): Promise<number> {
  const plain = await playScenario(scenario, 1)
  let runs = 0
  for (let write = 1; write <= plain.writes; write += stride) {
    for (const when of ['before', 'after'] as const) {
      const disturbed = await playScenario(scenario, 1, { crashes: [{ when, write, how }] })
      runs++
      const what = `${how} ${when} write ${write}`
      expect({ what, crashes: disturbed.crashes, ...disturbed.ending }).toEqual({ what, crashes: 1, ...plain.ending })
    }
  }
  return runs
}
