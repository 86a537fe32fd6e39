/**
 * A cluster with the gate and the engine in virtual time: everything in one process, nothing waits for real.
 */

import type { KubeClient } from '../../src/kube/client/client.ts'
import { createClient } from '../../src/kube/client/create.ts'
import type { Event } from '../../src/kube/events/event.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { resources } from '../../src/kube/types.ts'
import { until } from '../../src/kube/until.ts'
import { install } from '../../src/operator/install.ts'
import { policyType } from '../../src/rollouts/engine/caches.ts'
import type { GateOptions } from '../../src/rollouts/gate/start.ts'
import { rolloutsSurface } from '../../src/rollouts/index.ts'
import type { RolloutPolicy, RolloutPolicySpec } from '../../src/rollouts/policy/types.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { createSimulation } from '../../src/runtime/simulated/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { behaviour, daemonSet, deployment, podTemplate, statefulSet } from '../cluster/workloads.ts'

const namespace = 'default'

type Found = KubeObject & { spec: Record<string, unknown>; status: Record<string, unknown> }

export interface Stage {
  readonly client: KubeClient
  readonly runtime: Runtime
  /** Creates the workload with one version and waits for its pods. */
  running(kind: 'Deployment' | 'StatefulSet' | 'DaemonSet', replicas: number, spec?: object): Promise<void>
  /** Creates the policy. */
  create(spec: Omit<RolloutPolicySpec, 'targetRef'>): Promise<void>
  /** Creates the policy and waits until it is ready. */
  policy(spec: Omit<RolloutPolicySpec, 'targetRef'>): Promise<void>
  changePolicy(spec: Partial<RolloutPolicySpec>): Promise<void>
  removePolicy(): Promise<void>
  label(name: string, value: string): Promise<void>
  /** Merges into the workload, as anybody might. */
  change(patch: object): Promise<void>
  /** Changes the template. */
  roll(version: number, container?: object): Promise<void>
  scale(replicas: number): Promise<void>
  workload(): Promise<Found>
  untilWorkload(holds: (workload: Found) => boolean): Promise<Found>
  /** The policy once `holds` is true of it. */
  untilPolicy(holds: (policy: RolloutPolicy) => boolean): Promise<RolloutPolicy>
  /** Numbers of pods by version of the image. */
  versions(): Promise<Record<string, number>>
  /** Ends the operator's part and starts it anew, as after a crash. */
  restart(): Promise<void>
  /** Writes of the engine so far, events not counted. */
  written(): number
  jobs(): Promise<readonly KubeObject[]>
  /** Annotations of the revision that the last rollout went to. */
  annotations(): Promise<Readonly<Record<string, string>>>
  /** Replicas of each ReplicaSet, most first. */
  replicaSets(): Promise<readonly number[]>
  /** Resolves when the workload has an event with this reason. */
  untilEvent(reason: string): Promise<void>
  /** Pods of hooks that have no Job. */
  hookPods(): Promise<readonly KubeObject[]>
}

export async function play(
  seed: number,
  scenario: (stage: Stage) => Promise<void>,
  gate: Partial<GateOptions> = {},
): Promise<void> {
  const simulation = createSimulation(seed)
  await simulation.run(async () => {
    const { runtime } = simulation
    const sandbox = createSandbox(runtime, { nodes: 3 })
    await sandbox.ready
    const client = createClient({ transport: sandbox.transport(), runtime })
    const own = sandbox.transport({ name: 'system:carabiner', groups: ['system:masters'] })
    let written = 0
    const send: typeof own.send = (sent) => {
      if (sent.method !== 'GET' && !sent.target.includes('/events')) written += 1
      return own.send(sent)
    }
    const engineClient = createClient({ transport: { ...own, send }, runtime })
    const signal = new AbortController()
    const surface = rolloutsSurface({
      install: true,
      issue: () => ({ ca: 'none', cert: 'none', key: 'none' }),
      ...gate,
    })
    await install(client, runtime, [surface], signal.signal)
    const start = async () => {
      const ending = new AbortController()
      const running = await surface.start({ client: engineClient, runtime, signal: ending.signal })
      await running.ready
      return async () => {
        ending.abort()
        await running.stop()
      }
    }
    let stop = await start()
    let target = {
      kind: 'Deployment' as RolloutPolicySpec['targetRef']['kind'],
      type: resources.deployments as (typeof resources)['deployments'],
    }
    const kinds = {
      Deployment: resources.deployments,
      StatefulSet: resources.statefulSets,
      DaemonSet: resources.daemonSets,
    }
    const stage: Stage = {
      client,
      runtime,
      async running(kind, replicas, spec = {}) {
        target = { kind, type: kinds[kind] as typeof target.type }
        const make = {
          Deployment: deployment,
          StatefulSet: statefulSet,
          DaemonSet: (name: string, _: number, more: object) => daemonSet(name, more),
        }[kind]
        const object = make('web', replicas, spec)
        await client
          .of(target.type)
          .create({ apiVersion: 'apps/v1', kind, ...object, metadata: { ...object.metadata, namespace } } as KubeObject)
        await until(
          client.of(target.type),
          runtime,
          { name: 'web', namespace },
          (found) => isUp(found as never, kind === 'DaemonSet' ? 3 : replicas),
          signal.signal,
        )
      },
      async policy(spec) {
        await stage.create(spec)
        await stage.untilPolicy(
          ({ status }) =>
            status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
        )
      },
      async changePolicy(spec) {
        await client.of(policyType).patch('web', { type: 'merge', value: { spec } }, { namespace })
      },
      async removePolicy() {
        await client.of(policyType).delete('web', { namespace })
      },
      async create(spec) {
        const targetRef = { apiVersion: 'apps/v1', kind: target.kind, name: 'web' } as const
        const policy: RolloutPolicy = {
          apiVersion: 'carabiner.dev/v1alpha1',
          kind: 'RolloutPolicy',
          metadata: { name: 'web', namespace },
          spec: { targetRef, ...spec },
        }
        await client.of(policyType).create(policy)
      },
      async roll(version, container = {}) {
        const containers = [{ name: 'main', image: `example/app:${version}`, ...container }]
        const value = { spec: { template: { ...podTemplate('web'), spec: { containers } } } }
        await client.of(target.type).patch('web', { type: 'merge', value }, { namespace })
      },
      async change(value) {
        await client.of(target.type).patch('web', { type: 'merge', value }, { namespace })
      },
      label: (name, value) => stage.change({ metadata: { labels: { [name]: value } } }),
      async scale(replicas) {
        await client
          .of(target.type)
          .patch('web', { type: 'merge', value: { spec: { replicas } } }, { namespace, subresource: 'scale' })
      },
      workload: async () => (await client.of(target.type).get('web', { namespace })) as never,
      untilWorkload: (holds) =>
        until(client.of<Found>(target.type), runtime, { name: 'web', namespace }, holds, signal.signal),
      untilPolicy: (holds) =>
        until(client.of<RolloutPolicy>(policyType), runtime, { name: 'web', namespace }, holds, signal.signal),
      async versions() {
        const counts: Record<string, number> = {}
        const pods = await client.of(resources.pods).list({ namespace, labelSelector: 'app=web' })
        for (const pod of pods.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)) {
          const image =
            (pod as unknown as { spec: { containers: { image: string }[] } }).spec.containers[0]?.image.replace(
              'example/app:',
              'v',
            ) ?? ''
          counts[image] = (counts[image] ?? 0) + 1
        }
        return counts
      },
      hookPods: async () =>
        (await client.of(resources.pods).list({ namespace, labelSelector: 'carabiner.dev/policy=web' })).items,
      async annotations() {
        const to = (await stage.untilPolicy(() => true)).status?.rollout?.to ?? ''
        return (await client.of(resources.replicaSets).get(to, { namespace })).metadata.annotations ?? {}
      },
      async replicaSets() {
        const { items } = await client.of(resources.replicaSets).list({ namespace })
        const sets = items as unknown as readonly { spec: { replicas: number } }[]
        return sets.map(({ spec }) => spec.replicas).toSorted((a, b) => b - a)
      },
      async untilEvent(reason) {
        for await (const event of client.of<Event>(resources.events).watch({ namespace, signal: signal.signal })) {
          if (event.type !== 'ADDED') continue
          const { regarding, reason: found } = event.object
          if (regarding?.kind === target.kind && found === reason) return
        }
        throw new Error(`no event ${reason} came`)
      },
      async restart() {
        await stop()
        stop = await start()
      },
      written: () => written,
      jobs: async () => (await client.of(resources.jobs).list({ namespace })).items,
    }
    try {
      await scenario(stage)
    } finally {
      signal.abort()
      await stop()
      await sandbox.stop()
    }
  })
}

function isUp({ status }: { status?: Record<string, number> }, pods: number): boolean {
  return (status?.['availableReplicas'] ?? status?.['numberAvailable'] ?? 0) === pods
}

/** The Job of a hook; it takes half a minute and succeeds unless told otherwise. */
export function job(settings: Readonly<Record<string, string>> = {}) {
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example/hook:1' }] }
  return {
    backoffLimit: 0,
    template: { metadata: { annotations: behaviour({ 'run-for': '30s', ...settings }) }, spec },
  }
}

export const at = (progressPoint: number | string) => ({ progressAvailableParams: { progressPoint } })
export const isOver = (policy: { status?: { rollout?: { endedAt?: string } } }) =>
  policy.status?.rollout?.endedAt !== undefined
