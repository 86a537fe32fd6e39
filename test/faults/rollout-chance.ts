/** A rollout drawn from a number: workload, hooks, what people do meanwhile, when engines die. What must hold, holds for all of them. Knows no
 * test runner. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { type Crash, faults } from '../../src/cli/rollout/simulation/engines.ts'
import type { LifecycleHook } from '../../src/rollouts/policy/types.ts'
import { createSeededRandom } from '../../src/runtime/simulated/seed.ts'
import { at, job } from '../sandbox/rollouts.ts'
import { expectSound } from './rollout-disturb.ts'
import type { Scenario } from './rollout-user.ts'
import { type Outcome, playScenario, type Rest, restOf, type WorldOptions } from './rollout-world.ts'

interface Chance {
  readonly scenario: Scenario
  readonly crashes: readonly Crash[]
  readonly engines: number
  /** The version of the last template. */
  readonly version: number
  /** How many pods there are to be in the end. */
  readonly size: number
  readonly maxSurge: number | string
}

/** The same for the same number. */
function draw(number: number): Chance {
  const random = createSeededRandom(number, 'rollout')
  const below = (limit: number) => Math.floor(random.next() * limit)
  const one = <T>(...choices: readonly T[]): T => choices[below(choices.length)] as T
  const kind = one('Deployment', 'Deployment', 'StatefulSet', 'DaemonSet') as Scenario['kind']
  const pods = 1 + below(4)
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
    more: below(5),
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
  const onAbort = one<'Hold' | 'Undo'>('Hold', 'Hold', 'Undo')
  const engines = 1 + below(2)
  const replicas = kind === 'Deployment' && below(3) === 0 ? 0 : pods
  // Who takes the last pod away and wants others before any engine has seen it gets new ones.
  const least = kind === 'Deployment' && crashes.length === 0 ? 0 : 1
  const scaled = acts.findLast(({ roll }) => !roll)
  const scenario: Scenario = {
    name: `number ${number}`,
    kind,
    replicas,
    ...(kind === 'Deployment' ? { spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } } } : {}),
    policy: { lifecycleHooks, onAbort },
    async play(user) {
      await user.roll(2)
      for (const act of acts) {
        await user.sleep(Math.max(1, act.pause))
        if (act.roll) await user.roll(act.version)
        else await user.scale(least + act.more)
      }
    },
  }
  const size = scaled === undefined ? replicas : least + scaled.more
  return { scenario, crashes, engines, version, size, maxSurge }
}

/** Where every number begins. Its seed is none of theirs. */
let installed: Promise<Rest> | undefined

export async function expectChanceSound(number: number, options: Pick<WorldOptions, 'run'> = {}): Promise<Outcome> {
  const chance = draw(number)
  const { scenario, crashes, engines } = chance
  installed ??= restOf(scenario, 'installed', 1_000_001)
  const outcome = await playScenario(scenario, number, { ...options, crashes, engines, rest: await installed })
  expectSound(scenario, outcome, scenario.name)
  expectEnd(chance, outcome)
  return outcome
}

/** Whatever was disturbed: a rollout that is over, for the last template, of which nothing stays behind. */
function expectEnd({ scenario, version, size, maxSurge }: Chance, { ending }: Outcome): void {
  const { rollout, history, workload, versions, sets } = ending
  const { phase = 'Reverted', hooks = [] } = rollout ?? {}
  ok(['Complete', 'Aborted', 'Cancelled', 'Reverted'].includes(phase), `it ended as ${phase}`)
  const isBroken = hooks.some(({ state }) => state === 'Failed')
  if (phase !== 'Cancelled') equal(isBroken, phase === 'Aborted', `it is ${phase}, and a hook failed: ${isBroken}`)
  if (phase === 'Aborted') return
  for (const { name, state, attempts } of phase === 'Complete' ? hooks : [])
    ok(attempts > 0 && state !== 'Running', `hook ${name} of a complete rollout is ${state} after ${attempts} attempts`)
  // What was taken back ends with the version before it, whichever that was.
  const isUndone = scenario.policy.onAbort === 'Undo' && history.some((one) => one.phase === 'Aborted')
  const left = Object.keys(versions)
  if (size === 0) deepEqual(left, [])
  else if (isUndone) equal(left.length, 1, `pods of several versions are left: ${JSON.stringify(versions)}`)
  else deepEqual(left, [`example/app:${version}`])
  deepEqual(
    sets.filter((set) => set.endsWith('hidden')),
    [],
  )
  equal(new Set(sets.map((set) => set.split(' ')[0])).size, sets.length, `a template has several ReplicaSets: ${sets}`)
  const { hold, paused, strategy, updateStrategy, progressDeadlineSeconds, minReadySeconds } = workload
  deepEqual({ hold, paused }, { hold: undefined, paused: false })
  if (scenario.kind === 'Deployment')
    deepEqual(
      { maxSurge: strategy?.rollingUpdate?.maxSurge, progressDeadlineSeconds, minReadySeconds },
      { maxSurge, progressDeadlineSeconds: 600, minReadySeconds: 0 },
    )
  else equal(updateStrategy?.type, 'RollingUpdate')
}
