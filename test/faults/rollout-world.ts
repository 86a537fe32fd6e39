/**
 * A rollout with the engine as a process of its own, which is stopped at chosen writes and replaced by another; everything else goes on.
 * What is left in the end, and what was written on the way, can be compared with an undisturbed run.
 */
import { type Crash, Engines, type EnginesOptions } from '../../src/cli/rollout/simulation/engines.ts'
import { createClient, handlerTransport, type KubeClient } from '../../src/kube/index.ts'
import { install } from '../../src/operator/install.ts'
import { startGate } from '../../src/rollouts/gate/start.ts'
import { rolloutsSurface } from '../../src/rollouts/index.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import type { HttpHandler, HttpRequest } from '../../src/runtime/http.ts'
import { createSimulation, type Instant, type Simulation } from '../../src/runtime/public.ts'
import { ApiServer, attachNodes, startControllers } from '../../src/sandbox/index.ts'
import { type Ending, endingOf } from './rollout-ending.ts'
import { Diary, type GoingOn, goingOn, type Moments } from './rollout-moments.ts'
import { createPolicy, createWorkload, type Scenario, userOf } from './rollout-user.ts'
import { type Seen, watchPolicy, watchWorkload } from './rollout-watch.ts'
import { SteadyStateDetector } from './steady-state.ts'

const engineUser = { name: 'system:carabiner', groups: ['system:masters'] }
const issue = () => ({ ca: 'none', cert: 'none', key: 'none' })
/** The one that a cluster without admission policies has: nothing is looked for, and nothing else taken away. */
const standingGate = { install: false, use: 'webhook', issue } as const

export interface Outcome {
  readonly ending: Ending
  readonly writes: number
  /** Writes before the scenario began. */
  readonly early: number
  readonly crashes: number
  readonly seen: Seen
  /** Every request of the engines, in the order they were sent. */
  readonly requests: readonly SentRequest[]
}

export type SentRequest = Pick<HttpRequest, 'method' | 'target' | 'body'>

export interface WorldOptions extends Omit<EnginesOptions, 'after' | 'onWrite'> {
  /** Seconds without a write after which nothing is expected to move any more. @default 160, longer than a hook and a dead engine take */
  readonly quietSeconds?: number
  /** Where to begin. @default an empty cluster */
  readonly rest?: Rest
  /** The moments of the play are noted here. */
  readonly moments?: Moments
  /** The play goes on from there; `rest` is that of its beginning. */
  readonly from?: GoingOn
  /** What stands between the engines and the server. @default nothing */
  readonly between?: (server: HttpHandler) => HttpHandler
}

/** How far a cluster is: the definitions and the gate are there, the workload as well, the policy as well. */
const stages = ['nothing', 'installed', 'workload', 'policy'] as const
export type Stage = (typeof stages)[number]

/** A cluster in which nothing moves. */
export interface Rest {
  readonly stage: Stage
  readonly state: ApiServer['state']
  readonly at: Instant
}

export async function playScenario(scenario: Scenario, seed: number, options: WorldOptions = {}): Promise<Outcome> {
  const { moments, from, quietSeconds = 160 } = options
  return inWorld(scenario, seed, options, async (world) => {
    const { client, diary, engines, stillness, requests } = world
    await world.reach('policy')
    const { user } = diary
    await user.until(isReady)
    // Revisions tell their age in seconds.
    await user.sleep(5)
    const early = engines.writes
    await scenario.play(user)
    await stillness.reached(quietSeconds)
    const ending = await endingOf(client, scenario.kind, engines.created)
    const seen = from === undefined ? world.seen : joined(from.moments.seenUntil(from.moment), world.seen)
    if (moments !== undefined) moments.seen = seen
    return { ending, writes: engines.writes, early, crashes: engines.crashes, seen, requests }
  })
}

function joined(before: Seen, after: Seen): Seen {
  return {
    sets: [...before.sets, ...after.sets],
    pods: [...before.pods, ...after.pods],
    workloads: [...before.workloads, ...after.workloads],
    policies: [...before.policies, ...after.policies],
  }
}

const isReady = ({ status }: RolloutPolicy): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true

/** Many runs may begin here; theirs must be another seed, lest names and uids are drawn a second time. */
export function restOf(scenario: Scenario, stage: Stage, seed: number, from?: Rest): Promise<Rest> {
  const rest = from === undefined ? {} : { rest: from }
  return inWorld(scenario, seed, rest, async ({ simulation, server, diary, stillness, reach }) => {
    await reach(stage)
    if (stage === 'policy') await diary.user.until(isReady)
    await stillness.reached(10)
    return { stage, state: server.state, at: simulation.clock.now() }
  })
}

interface World {
  readonly simulation: Simulation
  readonly server: ApiServer
  readonly client: KubeClient
  readonly engines: Engines
  readonly diary: Diary
  readonly seen: Seen
  readonly requests: readonly SentRequest[]
  readonly stillness: SteadyStateDetector
  /** Brings the cluster to this stage. */
  reach(stage: Stage): Promise<void>
}

function inWorld<T>(
  scenario: Scenario,
  seed: number,
  { rest, between = (server) => server, moments, from, ...options }: WorldOptions,
  work: (world: World) => Promise<T>,
): Promise<T> {
  const { state, at: start } = from?.moment ?? rest ?? {}
  const simulation = createSimulation(seed, { maxEvents: 100_000, ...(start === undefined ? {} : { start }) })
  return simulation.run(async () => {
    const { runtime } = simulation
    const stillness = new SteadyStateDetector(runtime.clock)
    const server = new ApiServer(runtime, { audit: stillness.audit, ...(state === undefined ? {} : { state }) })
    const client = createClient({ transport: handlerTransport(server.as()), runtime })
    const natives = createClient({ transport: handlerTransport(untold(server.as())), runtime })
    const ending = new AbortController()
    const controllers = startControllers(natives, runtime, { workloadsOnly: rest !== undefined })
    const seen = watchWorkload(controllers, scenario.kind)
    const nodes = attachNodes(natives, runtime, {
      nodes: 3,
      leaseSeconds: 36_000,
      informers: controllers.informers,
      ...(from === undefined ? {} : { simulate: { script: goingOn(runtime.clock) } }),
    })
    await Promise.all([controllers.ready, nodes.ready])
    if (rest === undefined) await install(client, runtime, [rolloutsSurface({ install: true, issue })], ending.signal)
    const gatekeeper = createClient({ transport: handlerTransport(server.as(engineUser)), runtime })
    const gate = await startGate(gatekeeper, runtime, rest === undefined ? { install: true, issue } : standingGate)
    const diary = new Diary(runtime.clock, userOf(client, runtime, scenario.kind), from?.moment.progress)
    const note = (when: Crash['when'], write: number) => {
      const { progress } = diary
      if (progress === undefined) return
      const { writes, created, heard } = engines
      const at = runtime.clock.now()
      moments?.note(when, write, { state: server.state, at, writes, created: [...created], heard, progress })
    }
    const requests: SentRequest[] = []
    const engines = new Engines(simulation, recorded(between(untold(server.as(engineUser))), requests), {
      ...options,
      ...(moments === undefined ? {} : { onWrite: note }),
      ...(from === undefined ? {} : { after: { ...from.moment, how: from.how } }),
    })
    const policies = watchPolicy(client, runtime, ending.signal)
    const reached = stages.indexOf(from === undefined ? (rest?.stage ?? 'nothing') : 'policy')
    const reach = async (stage: Stage) => {
      const steps = {
        workload: () => createWorkload(client, runtime, scenario),
        policy: () => createPolicy(client, scenario),
      }
      for (const [step, take] of Object.entries(steps)) {
        const index = stages.indexOf(step as Stage)
        if (reached < index && index <= stages.indexOf(stage)) await take()
      }
    }
    try {
      const world = {
        simulation,
        server,
        client,
        engines,
        diary,
        seen: { ...seen, policies },
        requests,
        stillness,
        reach,
      }
      return await Promise.race([work(world), stillness.failed])
    } finally {
      ending.abort()
      await engines.stop()
      await gate.stop()
      await nodes.stop()
      await controllers.stop()
    }
  })
}

function recorded(server: HttpHandler, requests: SentRequest[]): HttpHandler {
  return (request) => {
    const { method, target, body } = request
    requests.push(body === undefined ? { method, target } : { method, target, body })
    return server(request)
  }
}

/** Takes events and keeps none: no test reads them here, and there are more of them than of all other writes. */
function untold(server: HttpHandler): HttpHandler {
  return async (request) => {
    if (request.method === 'GET' || !/\/events\b/.test(request.target)) return server(request)
    return { status: 201, headers: { 'content-type': 'application/json' }, body: request.body ?? new Uint8Array() }
  }
}
