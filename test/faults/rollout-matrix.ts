/** Disturbs the engine of rollouts at its writes; what must hold besides the end holds at every moment. */
import { expect } from 'vitest'
import type { Fault } from '../../src/cli/rollout/simulation/engines.ts'
import { disturbWrites } from './matrix.ts'
import { violations } from './rollout-watch.ts'
import { type Outcome, playScenario, type Scenario } from './rollout-world.ts'

/** Disturbs every `stride`-th write in one way; the number of runs. */
export async function disturbRollout(scenario: Scenario, how: Fault, stride: number): Promise<number> {
  const plain = await playScenario(scenario, 1)
  expectSound(scenario, plain)
  return disturbWrites({
    play: (crashes) => playScenario(scenario, 1, { crashes }),
    plain,
    how,
    stride,
    expectSound: (outcome) => expectSound(scenario, outcome),
  })
}

/** No Job twice, never too many pods, no new pod past a point whose hooks run. */
export function expectSound({ kind, spec }: Scenario, { ending, seen }: Outcome, what?: string): void {
  expect(new Set(ending.created).size, what).toBe(ending.created.length)
  if (kind !== 'Deployment') return
  expect(violations(seen, spec?.strategy), what).toEqual([])
}
