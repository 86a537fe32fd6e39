/** Disturbs the engine before and after its writes, one run each, and holds every end against that of a run without a disturbance. */
import { expect } from 'vitest'
import type { Fault } from '../../src/cli/rollout/simulation/engines.ts'
import { violations } from './rollout-watch.ts'
import { type Outcome, playScenario, type Scenario } from './rollout-world.ts'

/** Disturbs every `stride`-th write in one way; the number of runs. */
export async function disturbWrites(scenario: Scenario, how: Fault, stride: number): Promise<number> {
  const plain = await playScenario(scenario, 1)
  expectSound(scenario, plain)
  let runs = 0
  for (let write = 1; write <= plain.writes; write += stride) {
    for (const when of ['before', 'after'] as const) {
      const disturbed = await playScenario(scenario, 1, { crashes: [{ when, write, how }] })
      runs++
      const what = `${how} ${when} write ${write}`
      expect({ what, crashes: disturbed.crashes, ...disturbed.ending }).toEqual({ what, crashes: 1, ...plain.ending })
      expectSound(scenario, disturbed)
    }
  }
  return runs
}

/** No Job twice, never too many pods, no new pod past a point whose hooks run. */
export function expectSound({ kind, replicas, largest = replicas }: Scenario, { ending, seen }: Outcome): void {
  expect(new Set(ending.created).size).toBe(ending.created.length)
  if (kind === 'Deployment') expect(violations(seen, largest + Math.ceil(largest / 4), largest)).toEqual([])
}
