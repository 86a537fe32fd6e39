/** A rollout drawn from a number: workload, hooks, what people do meanwhile, when engines die. What must hold, holds for all of them. */
import { expect } from 'vitest'
import { type Crash, faults } from '../../src/cli/rollout/simulation/engines.ts'
import type { LifecycleHook } from '../../src/rollouts/policy/types.ts'
import { createSeededRandom } from '../../src/runtime/simulated/seed.ts'
import { at, job } from '../sandbox/rollouts.ts'
import { expectSound } from './rollout-disturb.ts'
import type { Scenario } from './rollout-user.ts'
import { playScenario, type Rest, restOf } from './rollout-world.ts'

interface Chance {
  readonly scenario: Scenario
  readonly crashes: readonly Crash[]
  readonly engines: number
  /** The version of the last template. */
  readonly version: number
  readonly maxSurge: number | string
}

/** The same for the same number. */
function draw(number: number): Chance {
  const random = createSeededRandom(number, 'rollout')
  const below = (limit: number) => Math.floor(random.next() * limit)
  const one = <T>(...choices: readonly T[]): T => choices[below(choices.length)] as T
  const kind = one('Deployment', 'Deployment', 'StatefulSet', 'DaemonSet') as Scenario['kind']
  const replicas = 1 + below(4)
  const lifecycleHooks = Array.from({ length: 1 + below(3) }, (_, index): LifecycleHook => {
    const failurePolicy = one<'Abort' | 'Ignore' | 'Retry'>('Abort', 'Ignore', 'Retry')
    return {
      name: `hook${index}`,
      trigger: at(one<number | string>(0, '0%', 1, '25%', '50%', '75%', 2, '100%')),
      failurePolicy,
      ...(failurePolicy === 'Retry' ? { retry: { limit: 1, backoffSeconds: 5 } } : {}),
      jobSpec: job({ 'run-for': `${5 + below(60)}s`, ...(below(5) === 0 ? { 'exit-code': '1' } : {}) }),
    }
  })
  const acts = Array.from({ length: below(4) }, () => ({
    pause: below(100),
    roll: below(2) === 0,
    version: 1 + below(3),
    replicas: 1 + below(5),
  })).filter(({ roll }) => roll || kind !== 'DaemonSet')
  const version = acts.findLast(({ roll }) => roll)?.version ?? 2
  const crashes = Array.from(
    { length: below(4) },
    (): Crash => ({ when: one('before', 'after'), write: 1 + below(40), how: one(...faults) }),
  )
  const [maxSurge, maxUnavailable] = one<readonly [number | string, number | string]>(
    ['25%', '25%'],
    [0, 1],
    [1, 0],
    ['100%', 0],
  )
  const scenario: Scenario = {
    name: `number ${number}`,
    kind,
    replicas,
    ...(kind === 'Deployment' ? { spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } } } : {}),
    policy: { lifecycleHooks, onAbort: one('Hold', 'Hold', 'Undo') },
    async play(user) {
      await user.roll(2)
      for (const act of acts) {
        await user.sleep(act.pause)
        if (act.roll) await user.roll(act.version)
        else await user.scale(act.replicas)
      }
    },
  }
  return { scenario, crashes, engines: 1 + below(2), version, maxSurge }
}

/** Where every number begins. Its seed is none of theirs. */
let installed: Promise<Rest> | undefined

export async function expectChanceSound(number: number): Promise<void> {
  const { scenario, crashes, engines, version, maxSurge } = draw(number)
  installed ??= restOf(scenario, 'installed', 1_000_001)
  const { kind } = scenario
  const replay = `replay with: CARABINER_ROLLOUT_NUMBER=${number} npx vitest run --project long test/long/rollouts.test.ts`
  const outcome = await playScenario(scenario, number, { crashes, engines, rest: await installed })
  const { rollout, history, workload, versions } = outcome.ending
  expectSound(scenario, outcome, replay)
  const hooks = rollout?.hooks ?? []
  const aborted = rollout?.phase === 'Aborted'
  expect(['Complete', 'Aborted', 'Cancelled', 'Reverted'], replay).toContain(rollout?.phase ?? 'Reverted')
  const isBroken = hooks.some(({ state }) => state === 'Failed')
  if (rollout?.phase !== 'Cancelled') expect(isBroken, replay).toBe(aborted)
  if (aborted) return
  if (rollout?.phase === 'Complete')
    expect(
      hooks.every(({ state, attempts }) => attempts > 0 && state !== 'Running'),
      replay,
    ).toBe(true)
  // What was taken back ends with the version before it, whichever that was.
  const isUndone = scenario.policy.onAbort === 'Undo' && history.some(({ phase }) => phase === 'Aborted')
  expect(Object.keys(versions), replay).toEqual(isUndone ? [expect.any(String)] : [`example/app:${version}`])
  const touched = {
    Deployment: { strategy: { rollingUpdate: { maxSurge } }, progressDeadlineSeconds: 600, minReadySeconds: 0 },
  }
  expect(workload, replay).toMatchObject({
    hold: undefined,
    paused: false,
    ...(kind === 'Deployment' ? touched.Deployment : { updateStrategy: { type: 'RollingUpdate' } }),
  })
}
