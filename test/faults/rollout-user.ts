/** What people do in a scenario: they make a workload and a policy, and change their minds. */
import type { KubeClient, KubeObject } from '../../src/kube/index.ts'
import { until } from '../../src/kube/until.ts'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import type { RolloutPolicy, RolloutPolicySpec, TargetKind } from '../../src/rollouts/policy/types.ts'
import type { Deployment } from '../../src/rollouts/policy/workload.ts'
import type { Runtime } from '../../src/runtime/index.ts'
import { daemonSet, deployment, podTemplate, statefulSet } from '../cluster/workloads.ts'
import { kinds } from './rollout-watch.ts'

const where = { namespace: 'default' }

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

export function userOf(client: KubeClient, runtime: Runtime, kind: TargetKind): User {
  const type = kinds[kind]
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
      const { signal } = new AbortController()
      await until(client.of<RolloutPolicy>(policyType), runtime, { name: 'web', ...where, signal }, holds)
    },
    sleep: (seconds) => runtime.clock.sleep(seconds * 1000),
  }
}

export async function createPolicy(client: KubeClient, { kind, policy }: Scenario): Promise<void> {
  const targetRef = { apiVersion: 'apps/v1', kind, name: 'web' } as const
  await client.of<RolloutPolicy>(policyType).create({
    apiVersion: 'carabiner.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'web', ...where },
    spec: { targetRef, ...policy },
  })
}

/** Resolves when all pods are there. */
export async function createWorkload(client: KubeClient, runtime: Runtime, scenario: Scenario): Promise<void> {
  const { kind, replicas, spec = {} } = scenario
  const make = { Deployment: deployment, StatefulSet: statefulSet, DaemonSet: (name: string) => daemonSet(name, spec) }
  const { metadata, ...rest } = make[kind]('web', replicas, spec)
  const handle = client.of(kinds[kind])
  await handle.create({ apiVersion: 'apps/v1', kind, ...rest, metadata: { ...metadata, ...where } } as KubeObject)
  const up = ({ status = {} }: KubeObject & { status?: Record<string, number> }): boolean =>
    (status['availableReplicas'] ?? status['numberAvailable'] ?? 0) === (kind === 'DaemonSet' ? 3 : replicas)
  await until(handle, runtime, { name: 'web', ...where, signal: new AbortController().signal }, up)
}
