/**
 * Plays one rollout of a policy's workload in virtual time: a whole cluster, the gate and the engine in this process. The same number gives
 * the same run, and what must hold is checked at every moment of it.
 */
import { createClient, handlerTransport } from '../../../kube/index.ts'
import { install } from '../../../operator/index.ts'
import { type Ledger, rolloutsSurface, startGate } from '../../../rollouts/index.ts'
import { strategyOf } from '../../../rollouts/strategies/index.ts'
import { largest } from '../../../runtime/index.ts'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { ApiServer, attachNodes, startControllers } from '../../../sandbox/index.ts'
import type { Subject } from '../subjects.ts'
import type { Bar, Sample } from '../timeline/timeline.ts'
import { answering, scriptOf } from './behaviour.ts'
import { Engines } from './engines.ts'
import { repeatedIn, violationsIn } from './invariants.ts'
import type { SimulationSettings } from './settings.ts'
import { Stage } from './stage.ts'

export interface Played {
  /** Milliseconds from the change of the template until the end, or until nothing moved any more. */
  readonly length: number
  readonly samples: readonly Sample[]
  readonly bars: readonly Bar[]
  /** Undefined when the policy never began one. */
  readonly rollout: Ledger | undefined
  /** Why not, or what it waits for. */
  readonly message: string
  readonly violations: readonly string[]
  /** Of the engine, events not counted. */
  readonly writes: number
  readonly crashes: number
}

const engineUser = { name: 'system:carabiner', groups: ['system:masters'] }
const issue = () => ({ ca: 'none', cert: 'none', key: 'none', renewAt: Infinity })
const daemonNodes = 5
const podsPerNode = 100

export function playRollout(subject: Subject, settings: SimulationSettings): Promise<Played> {
  const simulation = createSimulation(settings.seed, { maxEvents: Number.POSITIVE_INFINITY })
  const { workload } = subject
  const sizes = [strategyOf(workload).size(workload, {}), ...settings.scale.map(({ replicas }) => replicas)]
  const nodes = workload.kind === 'DaemonSet' ? daemonNodes : 3 + Math.ceil((2 * largest(sizes)) / podsPerNode)
  return simulation.run(async () => {
    const { runtime } = simulation
    const server = new ApiServer(runtime)
    const client = createClient({ transport: handlerTransport(server.as()), runtime, onWarning: () => {} })
    const ending = new AbortController()
    const controllers = startControllers(client, runtime)
    const simulate = { script: scriptOf(settings) }
    const { informers } = controllers
    const running = attachNodes(client, runtime, { nodes, leaseSeconds: 360_000, informers, simulate })
    await Promise.all([controllers.ready, running.ready])
    await install(client, runtime, [rolloutsSurface({ install: true, issue })], ending.signal)
    const gatekeeper = createClient({ transport: handlerTransport(server.as(engineUser)), runtime })
    const gate = await startGate(gatekeeper, runtime, { install: true, issue })
    const engines = new Engines(simulation, server.as(engineUser), {
      world: (own) => answering(own, subject, settings),
    })
    const stage = new Stage(client, runtime, subject)
    await stage.prepare(ending.signal)
    const before = engines.writes
    if (settings.crashAfter !== undefined) engines.dieAfter(settings.crashAfter)
    const { timeline, start } = await stage.roll(settings, ending.signal)
    const { status } = await stage.policy()
    ending.abort()
    await engines.stop()
    await gate.stop()
    await running.stop()
    await controllers.stop()
    const { samples, bars } = timeline
    const actual = workload.kind === 'DaemonSet' ? [daemonNodes] : sizes
    const rollout = status?.rollout
    const ended = rollout?.endedAt === undefined ? 0 : Date.parse(rollout.endedAt) - start
    return {
      length: Math.max(ended, samples.at(-1)?.at ?? 0, largest(bars.map(({ to = 0 }) => to))),
      samples,
      bars,
      rollout,
      message: status?.conditions?.find(({ status: is }) => is === 'True')?.message ?? '',
      violations: [...violationsIn(workload, samples, bars, actual), ...repeatedIn(engines.created)],
      writes: engines.writes - before,
      crashes: engines.crashes,
    }
  })
}
