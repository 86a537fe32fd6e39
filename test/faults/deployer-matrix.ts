/** Disturbs deployers at their writes. */
import type { Fault } from '../../src/cli/rollout/simulation/engines.ts'
import { playScenario, type Scenario } from './deployer-world.ts'
import { disturbWrites } from './matrix.ts'

/** Crashes, and stale caches. */
export const itemFaults = ['restart', 'takeover', 'deaf'] as const satisfies readonly Fault[]

/** Disturbs every `stride`-th write with one fault; returns the number of runs. */
export async function disturbItems(scenario: Scenario, how: Fault, stride: number): Promise<number> {
  const plain = await playScenario(scenario, 1)
  return disturbWrites({ play: (crash) => playScenario(scenario, 1, { crashes: [crash] }), plain, how, stride })
}
