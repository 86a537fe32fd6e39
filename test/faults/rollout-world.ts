/**
 * A rollout with the engine as a process of its own, which is stopped at chosen writes and replaced by another; everything else goes on.
 * What is left in the end, and what was written on the way, can be compared with a run that nobody disturbed.
 */
import { Engines, type EnginesOptions } from '../../src/cli/rollout/simulation/engines.ts'
import { createClient, handlerTransport, type KubeClient, type KubeObject, resources } from '../../src/kube/index.ts'
import { until } from '../../src/kube/until.ts'
import { install } from '../../src/operator/install.ts'
import { policyType } from '../../src/rollouts/engine/caches.ts'
import { startGate } from '../../src/rollouts/gate/start.ts'
import { rolloutsSurface } from '../../src/rollouts/index.ts'
import type { EndedRollout, RolloutPolicy, RolloutPolicySpec, TargetKind } from '../../src/rollouts/policy/types.ts'
import type { Deployment } from '../../src/rollouts/policy/workload.ts'
import { createSimulation, type Instant, type Runtime, type Simulation } from '../../src/runtime/index.ts'
import { ApiServer, attachNodes, startControllers } from '../../src/sandbox/index.ts'
import { daemonSet, deployment, podTemplate, statefulSet } from '../cluster/workloads.ts'
import { type Seen, watchRollout } from './rollout-watch.ts'
import { Stillness } from './stillness.ts'

const where = { namespace: 'default' }
const engineUser = { name: 'system:carabiner', groups: ['system:masters'] }
const issue = () => ({ ca: 'none', cert: 'none', key: 'none' })
const kinds = {
  Deployment: resources.deployments,
  StatefulSet: resources.statefulSets,
  DaemonSet: resources.daemonSets,
} as const

export interface Scenario {
  readonly name: string
  readonly kind: TargetKind
  readonly replicas: number
  readonly spec?: { readonly strategy?: Deployment['spec']['strategy']; readonly updateStrategy?: object }
  readonly policy: Omit<RolloutPolicySpec, 'targetRef'>
  /** What people do; it is over when nothing moves any more. */
  play(user: User): Promise<void>
}

export interface User {
  /** Changes the template. */
  roll(version: number, settings?: Readonly<Record<string, string>>): Promise<void>
  scale(replicas: number): Promise<void>
  /** Writes the id of the rollout into an annotation of the policy, as commands do. */
  tell(annotation: string): Promise<void>
  /** Waits for the policy to be so. */
  until(holds: (policy: RolloutPolicy) => boolean): Promise<void>
  sleep(seconds: number): Promise<void>
}

type Told = Pick<EndedRollout, 'type' | 'phase' | 'hooks'>

/** What must be the same however often the engine died. */
export interface Ending {
  readonly rollout: Told | undefined
  readonly history: readonly Told[]
  readonly versions: Readonly<Record<string, number>>
  readonly workload: object
  /** Hooks whose Jobs are still there. */
  readonly jobs: readonly string[]
  /** Every Job or pod of a hook that was ever created. */
  readonly created: readonly string[]
}

export interface Outcome {
  readonly ending: Ending
  readonly writes: number
  /** Writes before the scenario began. */
  readonly early: number
  readonly crashes: number
  readonly seen: Seen
}

export interface WorldOptions extends EnginesOptions {
  /** Seconds without a write after which nothing is expected to move any more. @default 300 */
  readonly patience?: number
  /** Where to begin. @default an empty cluster */
  readonly rest?: Rest
}

/** A cluster with its workload and its policy, before anybody changes the template. */
export interface Rest {
  readonly state: ApiServer['state']
  readonly at: Instant
}

export async function playScenario(scenario: Scenario, seed: number, options: WorldOptions = {}): Promise<Outcome> {
  return inWorld(scenario, seed, options, async ({ client, user, engines, seen, stillness }) => {
    const early = engines.writes
    await scenario.play(user)
    await stillness.reached(options.patience ?? 300)
    const ending = await endingOf(client, scenario.kind, engines.created)
    return { ending, writes: engines.writes, early, crashes: engines.crashes, seen }
  })
}

/** Many runs of a scenario may begin here; theirs must be another seed, lest names and uids are drawn a second time. */
export function restOf(scenario: Scenario, seed: number): Promise<Rest> {
  return inWorld(scenario, seed, {}, async ({ runtime, server, stillness }) => {
    await stillness.reached(10)
    return { state: server.state, at: runtime.clock.now() }
  })
}

interface World {
  readonly runtime: Runtime
  readonly server: ApiServer
  readonly client: KubeClient
  readonly engines: Engines
  readonly user: User
  readonly seen: Seen
  readonly stillness: Stillness
}

function inWorld<T>(
  scenario: Scenario,
  seed: number,
  { rest, ...options }: WorldOptions,
  work: (world: World) => Promise<T>,
): Promise<T> {
  const simulation = createSimulation(seed, rest === undefined ? {} : { start: rest.at })
  return simulation.run(async () => {
    const { runtime } = simulation
    const stillness = new Stillness(runtime.clock)
    const server = new ApiServer(runtime, {
      audit: stillness.audit,
      ...(rest === undefined ? {} : { state: rest.state }),
    })
    const client = createClient({ transport: handlerTransport(server.as()), runtime })
    const ending = new AbortController()
    const controllers = startControllers(client, runtime)
    const nodes = attachNodes(client, runtime, { nodes: 3, leaseSeconds: 36_000, informers: controllers.informers })
    await Promise.all([controllers.ready, nodes.ready])
    if (rest === undefined) await install(client, runtime, [rolloutsSurface({ install: true, issue })], ending.signal)
    const gatekeeper = createClient({ transport: handlerTransport(server.as(engineUser)), runtime })
    const gate = await startGate(gatekeeper, runtime, { install: true, issue })
    const engines = new Engines(simulation, server.as(engineUser), options)
    const seen = watchRollout(client, ending.signal)
    const user = userOf(client, simulation, scenario.kind)
    if (rest === undefined) {
      await createWorkload(client, simulation, scenario)
      await createPolicy(client, scenario)
    }
    await user.until(
      ({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
    )
    // Revisions tell their age in seconds.
    await user.sleep(5)
    const result = await work({ runtime, server, client, engines, user, seen, stillness })
    ending.abort()
    engines.stop()
    await gate.stop()
    await nodes.stop()
    await controllers.stop()
    return result
  })
}

async function createPolicy(client: KubeClient, { kind, policy }: Scenario): Promise<void> {
  const targetRef = { apiVersion: 'apps/v1', kind, name: 'web' } as const
  await client.of<RolloutPolicy>(policyType).create({
    apiVersion: 'carabiner.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'web', ...where },
    spec: { targetRef, ...policy },
  })
}

async function createWorkload(client: KubeClient, simulation: Simulation, { kind, replicas, spec = {} }: Scenario) {
  const make = { Deployment: deployment, StatefulSet: statefulSet, DaemonSet: (name: string) => daemonSet(name, spec) }
  const { metadata, ...rest } = make[kind]('web', replicas, spec)
  const type = kinds[kind] as (typeof kinds)['Deployment']
  await client
    .of(type)
    .create({ apiVersion: 'apps/v1', kind, ...rest, metadata: { ...metadata, ...where } } as KubeObject)
  const up = ({ status = {} }: KubeObject & { status?: Record<string, number> }): boolean =>
    (status['availableReplicas'] ?? status['numberAvailable'] ?? 0) === (kind === 'DaemonSet' ? 3 : replicas)
  await until(client.of(type), simulation.runtime, { name: 'web', ...where }, up, new AbortController().signal)
}

function userOf(client: KubeClient, { runtime }: Simulation, kind: TargetKind): User {
  const type = kinds[kind] as (typeof kinds)['Deployment']
  const patch = (value: object, more: object = {}) =>
    client.of(type).patch('web', { type: 'merge', value }, { ...where, ...more })
  return {
    async roll(version, settings) {
      await patch({ spec: { template: podTemplate('web', `example/app:${version}`, settings) } })
    },
    async scale(replicas) {
      await patch({ spec: { replicas } }, { subresource: 'scale' })
    },
    async tell(annotation) {
      const { status } = (await client.of(policyType).get('web', where)) as RolloutPolicy
      const value = { metadata: { annotations: { [annotation]: status?.rollout?.id } } }
      await client.of(policyType).patch('web', { type: 'merge', value }, where)
    },
    async until(holds) {
      const patience = new AbortController().signal
      await until(client.of<RolloutPolicy>(policyType), runtime, { name: 'web', ...where }, holds, patience)
    },
    sleep: (seconds) => runtime.clock.sleep(seconds * 1000),
  }
}

async function endingOf(client: KubeClient, kind: TargetKind, created: readonly string[]): Promise<Ending> {
  const { status } = (await client.of(policyType).get('web', where)) as RolloutPolicy
  const { rollout, history = [] } = status ?? {}
  const workload = (await client.of(kinds[kind] as (typeof kinds)['Deployment']).get('web', where)) as KubeObject & {
    spec: Record<string, unknown>
  }
  const { paused = false, minReadySeconds = 0, progressDeadlineSeconds, strategy, updateStrategy } = workload.spec
  const jobs = await client.of(resources.jobs).list(where)
  const versions: Record<string, number> = {}
  for (const pod of (await client.of(resources.pods).list({ ...where, labelSelector: 'app=web' })).items) {
    const { spec } = pod as KubeObject & { spec: { containers: { image: string }[] } }
    const image = spec.containers[0]?.image ?? ''
    versions[image] = (versions[image] ?? 0) + 1
  }
  const short = ({ type, phase, hooks }: NonNullable<typeof rollout> | (typeof history)[number]) => ({
    type,
    phase,
    hooks: hooks.map(({ name, point, state, attempts }) => ({ name, point, state, attempts })),
  })
  return {
    rollout: rollout === undefined ? undefined : short(rollout),
    history: history.map(short),
    versions,
    workload: {
      hold: workload.metadata.labels?.['carabiner.dev/hold'],
      ...{ paused, minReadySeconds, progressDeadlineSeconds, strategy, updateStrategy },
    },
    jobs: jobs.items.map(({ metadata }) => metadata.labels?.['carabiner.dev/hook'] ?? '').toSorted(),
    created: created.toSorted(),
  }
}
