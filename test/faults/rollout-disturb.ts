/**
 * Disturbs the engine of rollouts at its writes; what must hold besides the end holds at every moment. A scenario is played from an empty
 * cluster for the writes by which the engine takes a workload under its care, and for all others from the cluster as it is then. Knows no
 * test runner: it runs in processes of its own.
 */
import { deepEqual, equal } from 'node:assert/strict'
import type { Fault } from '../../src/cli/rollout/simulation/engines.ts'
import { disturbWrites } from './matrix.ts'
import { violations } from './rollout-watch.ts'
import { type Outcome, playScenario, type Rest, restOf, type Scenario } from './rollout-world.ts'

const seed = 1
const seedOfRest = 1001

/** The rest of a scenario, and how it ends when nobody disturbs it. */
export interface Plain {
  readonly rest: Rest
  readonly fromRest: Outcome
  readonly fromNothing: Outcome
}

/** Waiting three times as long changes nothing, and neither does a new engine before the first change. */
export async function playPlain(scenario: Scenario): Promise<Plain> {
  const rest = await restOf(scenario, seedOfRest)
  const fromRest = await playScenario(scenario, seed, { rest })
  const fromNothing = await playScenario(scenario, seed, { patience: 900 })
  deepEqual(withoutNames(fromRest), withoutNames(fromNothing))
  expectSound(scenario, fromRest, 'undisturbed')
  expectSound(scenario, fromNothing, 'undisturbed')
  return { rest, fromRest, fromNothing }
}

/** Names tell which cluster it was. */
export function withoutNames({ ending }: Outcome): object {
  return { ...ending, created: ending.created.length }
}

/** Disturbs every `stride`-th write in one way; the number of runs. */
export async function disturbRollout(scenario: Scenario, plain: Plain, how: Fault, stride: number): Promise<number> {
  const common = {
    ...{ how, stride },
    expectSound: (outcome: Outcome, what: string) => expectSound(scenario, outcome, what),
  }
  const { rest, fromRest, fromNothing } = plain
  const early = await disturbWrites({
    ...common,
    play: (crashes) => playScenario(scenario, seed, { crashes }),
    plain: fromNothing,
    last: fromNothing.early,
  })
  const late = await disturbWrites({
    ...common,
    play: (crashes) => playScenario(scenario, seed, { crashes, rest }),
    plain: fromRest,
  })
  return early + late
}

/** No Job twice, never too many pods, no new pod past a point whose hooks run. */
export function expectSound({ kind, spec }: Scenario, { ending, seen }: Outcome, what: string): void {
  equal(new Set(ending.created).size, ending.created.length, `${what}: a hook was started twice`)
  if (kind === 'Deployment') deepEqual({ what, found: violations(seen, spec?.strategy) }, { what, found: [] })
}
