/**
 * Disturbs the engine of rollouts at its writes; what must hold besides the end holds at every moment. The writes by which the engine takes
 * a workload under its care are disturbed in a cluster without the policy, all others in the cluster as it is then: what comes before is
 * played once and not again for each of them. Knows no test runner: it runs in processes of its own.
 */
import { deepEqual, equal, notEqual } from 'node:assert/strict'
import type { Crash, Fault, Succession } from '../../src/cli/rollout/simulation/engines.ts'
import { disturbWrites } from './matrix.ts'
import { violations } from './rollout-bounds.ts'
import { Moments } from './rollout-moments.ts'
import type { Scenario } from './rollout-user.ts'
import { type Outcome, playScenario, type Rest, restOf } from './rollout-world.ts'

const seed = 1
/** Of those that go on from a moment; each has its own. */
const laterSeed = 10_000
/** Those of the clusters in which runs begin. */
const seedsOfRest = { workload: 1001, policy: 1002 } as const

/** Where a scenario begins, and how it ends without a disturbance. */
export interface Plain {
  readonly withPolicy: Begun
  readonly withoutPolicy: Begun
}

interface Begun {
  readonly rest: Rest
  readonly outcome: Outcome
  readonly moments: Moments
}

const isDeath = (how: Fault | undefined): how is Succession['how'] & Fault => how === 'restart' || how === 'takeover'
/** Writes that an engine has made itself before it is deaf: what it remembers of them is more than the caches show. */
const ownWrites = 4

/** Waiting many times as long changes nothing, and neither does where a run begins. */
export async function playPlain(scenario: Scenario): Promise<Plain> {
  const workload = await restOf(scenario, 'workload', seedsOfRest.workload)
  const policy = await restOf(scenario, 'policy', seedsOfRest.policy, workload)
  const begin = async (rest: Rest) => {
    const moments = new Moments()
    return { rest, moments, outcome: await playScenario(scenario, seed, { rest, moments }) }
  }
  const plain = { withPolicy: await begin(policy), withoutPolicy: await begin(workload) }
  const fromNothing = await playScenario(scenario, seed, { quietSeconds: 900 })
  for (const outcome of [fromNothing, plain.withPolicy.outcome, plain.withoutPolicy.outcome]) {
    deepEqual(withoutNames(outcome), withoutNames(fromNothing))
    expectSound(scenario, outcome, 'undisturbed')
  }
  return plain
}

/** Names tell which cluster it was. */
export function withoutNames({ ending }: Outcome): object {
  return { ...ending, created: ending.created.length }
}

export interface Strides {
  /** Disturbs every so many writes. */
  readonly stride: number
  /** Of those, at every so many writes all is played from the beginning, with everybody but the engine at work all along. */
  readonly whole: number
  /** Receives the outcome of every run. */
  readonly onRun?: (what: string, outcome: Outcome) => void
}

/** The number of runs. */
export async function disturbRollout(
  scenario: Scenario,
  plain: Plain,
  how: Fault,
  { stride, whole, onRun }: Strides,
): Promise<number> {
  const isWhole = ({ write }: Crash) => write % whole === 0
  const disturb = (begun: Begun, last: number, from: string) =>
    disturbWrites({
      ...{ how, stride, last, plain: begun.outcome },
      play: (crash) => (isWhole(crash) ? playWhole(scenario, begun, crash) : playFromMoment(scenario, begun, crash)),
      encounter: (crash) => (isWhole(crash) && isDeath(how) ? undefined : begun.moments.encounter(crash)),
      expectSound: (disturbed, what) => {
        onRun?.(`${from}: ${what}`, disturbed)
        expectSound(scenario, disturbed, what)
      },
    })
  const { withPolicy, withoutPolicy } = plain
  const early = await disturb(withoutPolicy, withoutPolicy.outcome.early, 'without policy')
  return early + (await disturb(withPolicy, withPolicy.outcome.writes, 'with policy'))
}

function playWhole(scenario: Scenario, { rest }: Begun, crash: Crash): Promise<Outcome> {
  return playScenario(scenario, seed, { crashes: [crash], rest })
}

/**
 * What comes before a death is the same as without it: it is played once, and the death in the moment right before or after the write. A deaf
 * engine lives on and remembers more than the cluster does: its play begins some writes before.
 */
async function playFromMoment(scenario: Scenario, begun: Begun, crash: Crash): Promise<Outcome> {
  const { rest, moments } = begun
  const { how, write } = crash
  const isDead = isDeath(how)
  const moment = moments.at(isDead ? crash : { when: 'after', write: write - ownWrites })
  if (moment === undefined) return playWhole(scenario, begun, crash)
  // Another seed, lest names and uids are drawn a second time.
  const later = laterSeed + moment.state.revision
  if (isDead) return playScenario(scenario, later, { rest, from: { moments, moment, how } })
  const from = { moments, moment, how: 'handover' } as const
  const outcome = await playScenario(scenario, later, { rest, from, crashes: [crash] })
  // An engine that starts now may need fewer writes.
  return outcome.crashes > 0 ? outcome : playWhole(scenario, begun, crash)
}

/** No Job twice, never too many pods nor too few, no new pod past a point whose hooks run. */
export function expectSound(scenario: Scenario, { ending, seen }: Outcome, what: string): void {
  equal(new Set(ending.created).size, ending.created.length, `${what}: a hook was started twice`)
  for (const [name, objects] of Object.entries(seen)) {
    const maybeNone = name === 'sets' ? scenario.kind !== 'Deployment' : name === 'pods' && scenario.replicas === 0
    if (!maybeNone) notEqual(objects.length, 0, `${what}: no ${name} were seen`)
  }
  deepEqual({ what, found: violations(seen, scenario) }, { what, found: [] })
}
