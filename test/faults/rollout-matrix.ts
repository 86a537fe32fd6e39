/**
 * Disturbs the engine of rollouts at its writes; what must hold besides the end holds at every moment. A scenario is played from an empty
 * cluster for the writes by which the engine takes a workload under its care, and for all others from the cluster as it is then.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { type Fault, faults } from '../../src/cli/rollout/simulation/engines.ts'
import { disturbWrites } from './matrix.ts'
import { violations } from './rollout-watch.ts'
import { type Outcome, playScenario, type Rest, restOf, type Scenario } from './rollout-world.ts'

const seed = 1
const seedOfRest = 1001

/** A death at every write, other faults at fewer. */
export const usualStrides = { restart: 1, takeover: 2, deaf: 2, 'deaf-to-hooks': 13, 'deaf-to-policies': 13 } as const
export const everyWrite = { restart: 1, takeover: 1, deaf: 1, 'deaf-to-hooks': 1, 'deaf-to-policies': 1 } as const

/** The rest of a scenario, and how it ends when nobody disturbs it. */
export interface Plain {
  readonly rest: Rest
  readonly fromRest: Outcome
  readonly fromNothing: Outcome
}

/** One `describe` for each scenario; a fault comes at every so many writes, and the number of runs is printed. */
export function describeFaults(scenarios: readonly Scenario[], strides: Readonly<Record<Fault, number>>): void {
  const runs = new Map<string, number>()
  afterAll(() => {
    const counts = Array.from(runs, ([name, count]) => `  ${String(count).padStart(5)}  ${name}\n`).join('')
    const all = [...runs.values()].reduce((sum, count) => sum + count, 0)
    process.stdout.write(`rollouts: ${all} runs with engines that died or were deaf\n${counts}`)
  })
  describe.each(scenarios)('$name', (scenario) => {
    let plain: Promise<Plain> | undefined
    it.each(faults)(
      '[rollouts W13] ends the same wherever the fault %s comes',
      async (fault) => {
        plain ??= playPlain(scenario)
        const count = await disturbRollout(scenario, await plain, fault, strides[fault])
        runs.set(scenario.name, (runs.get(scenario.name) ?? 0) + count)
      },
      600_000,
    )
  })
}

/** Waiting three times as long changes nothing, and neither does a new engine before the first change. */
export async function playPlain(scenario: Scenario): Promise<Plain> {
  const rest = await restOf(scenario, seedOfRest)
  const fromRest = await playScenario(scenario, seed, { rest })
  const fromNothing = await playScenario(scenario, seed, { patience: 900 })
  expect(withoutNames(fromRest)).toEqual(withoutNames(fromNothing))
  expectSound(scenario, fromRest)
  expectSound(scenario, fromNothing)
  return { rest, fromRest, fromNothing }
}

/** Names tell which cluster it was. */
export function withoutNames({ ending }: Outcome): object {
  return { ...ending, created: ending.created.length }
}

async function disturbRollout(scenario: Scenario, plain: Plain, how: Fault, stride: number): Promise<number> {
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
export function expectSound({ kind, spec }: Scenario, { ending, seen }: Outcome, what?: string): void {
  expect(new Set(ending.created).size, what).toBe(ending.created.length)
  if (kind !== 'Deployment') return
  expect(violations(seen, spec?.strategy), what).toEqual([])
}
