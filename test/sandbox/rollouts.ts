/**
 * A cluster with the gate and the engine in virtual time: everything in one process, nothing waits for real.
 */

import type { KubeClient } from '../../src/kube/client/client.ts'
import { createClient } from '../../src/kube/client/create.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { resources } from '../../src/kube/types.ts'
import { until } from '../../src/kube/until.ts'
import { install } from '../../src/operator/install.ts'
import { policyType } from '../../src/rollouts/engine/caches.ts'
import { startEngine } from '../../src/rollouts/engine/engine.ts'
import { gateWebhook } from '../../src/rollouts/gate/webhook.ts'
import { webhookConfiguration } from '../../src/rollouts/gate/webhook-configuration.ts'
import { rolloutsSurface } from '../../src/rollouts/index.ts'
import type { RolloutPolicy, RolloutPolicySpec } from '../../src/rollouts/policy/types.ts'
import { createSimulation } from '../../src/runtime/simulated/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { daemonSet, deployment, podTemplate, statefulSet } from '../cluster/workloads.ts'

const namespace = 'default'
const engineName = 'system:carabiner'

export interface Stage {
  readonly client: KubeClient
  /** Creates the workload with one version and waits for its pods. */
  running(kind: 'Deployment' | 'StatefulSet' | 'DaemonSet', replicas: number, spec?: object): Promise<void>
  policy(spec: Omit<RolloutPolicySpec, 'targetRef'>): Promise<void>
  /** Changes the template. */
  roll(version: number): Promise<void>
  scale(replicas: number): Promise<void>
  workload(): Promise<KubeObject & { spec: Record<string, unknown>; status: Record<string, unknown> }>
  /** The policy once `holds` is true of it. */
  untilPolicy(holds: (policy: RolloutPolicy) => boolean): Promise<RolloutPolicy>
  /** Numbers of pods by version of the image. */
  versions(): Promise<Record<string, number>>
  jobs(): Promise<readonly KubeObject[]>
  /** Ends the engine as a crash does, and starts another one. */
  restart(): void
}

export async function play(seed: number, scenario: (stage: Stage) => Promise<void>): Promise<void> {
  const simulation = createSimulation(seed)
  await simulation.run(async () => {
    const { runtime } = simulation
    const sandbox = createSandbox(runtime, { nodes: 3 })
    await sandbox.ready
    const client = createClient({ transport: sandbox.transport(), runtime })
    const engineClient = createClient({
      transport: sandbox.transport({ name: engineName, groups: ['system:masters'] }),
      runtime,
    })
    const listener = await runtime.http.listen({ host: '127.0.0.1', port: 9443 }, gateWebhook(engineName))
    const signal = new AbortController()
    await install(client, runtime, [rolloutsSurface], signal.signal)
    const hook = webhookConfiguration({ engine: engineName, client: { url: 'https://127.0.0.1:9443/' }, ca: 'none' })
    await (await client.find(hook.apiVersion, hook.kind)).create(hook)
    let engineEnd = new AbortController()
    let engine = startEngine(engineClient, runtime, engineEnd.signal)
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
        const targetRef = { apiVersion: 'apps/v1', kind: target.kind, name: 'web' } as const
        const policy: RolloutPolicy = {
          apiVersion: 'carabiner.dev/v1alpha1',
          kind: 'RolloutPolicy',
          metadata: { name: 'web', namespace },
          spec: { targetRef, ...spec },
        }
        await client.of(policyType).create(policy)
        await stage.untilPolicy(
          ({ status }) =>
            status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
        )
      },
      async roll(version) {
        const value = { spec: { template: podTemplate('web', `example/app:${version}`) } }
        await client.of(target.type).patch('web', { type: 'merge', value }, { namespace })
      },
      async scale(replicas) {
        await client
          .of(target.type)
          .patch('web', { type: 'merge', value: { spec: { replicas } } }, { namespace, subresource: 'scale' })
      },
      workload: async () => (await client.of(target.type).get('web', { namespace })) as never,
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
      jobs: async () => (await client.of(resources.jobs).list({ namespace })).items,
      restart() {
        engineEnd.abort()
        engineEnd = new AbortController()
        engine = startEngine(engineClient, runtime, engineEnd.signal)
      },
    }
    try {
      await scenario(stage)
    } finally {
      engineEnd.abort()
      await engine.ended
      signal.abort()
      await listener.close()
      await sandbox.stop()
    }
  })
}

function isUp({ status }: { status?: Record<string, number> }, pods: number): boolean {
  return (status?.['availableReplicas'] ?? status?.['numberAvailable'] ?? 0) === pods
}
