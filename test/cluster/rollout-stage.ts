/**
 * A workload `web` with its policy in its own namespace, and the operations of users on them. The same in virtual time,
 * on the sandbox as a program and on a real control plane.
 */
import type { KubeClient } from '../../src/kube/client/client.ts'
import { type Event, resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject, ResourceType } from '../../src/kube/object.ts'
import { createReflector } from '../../src/kube/reflector/reflector.ts'
import { until } from '../../src/kube/until.ts'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import type { RolloutPolicy, RolloutPolicySpec, TargetKind } from '../../src/rollouts/policy/types.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { behaviour, daemonSet, deployment, podTemplate, statefulSet } from './workloads.ts'

export type Found = KubeObject & { spec: Record<string, unknown>; status: Record<string, unknown> }

export interface Stage {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly namespace: string
  /** Creates the workload with one version and waits for its pods. */
  running(kind: TargetKind, replicas: number, spec?: object): Promise<void>
  /** Creates the policy. */
  create(spec: Omit<RolloutPolicySpec, 'targetRef'>): Promise<void>
  /** Creates the policy and waits until it is ready. */
  policy(spec: Omit<RolloutPolicySpec, 'targetRef'>): Promise<void>
  /** Replaces whole fields of the policy. */
  changePolicy(spec: Partial<RolloutPolicySpec>): Promise<void>
  /** Writes the rollout id into an annotation of the policy, as commands do. */
  tell(annotation: string): Promise<string>
  removePolicy(): Promise<void>
  label(name: string, value: string): Promise<void>
  /** Applies a merge patch to the workload, like any client. */
  change(patch: object): Promise<void>
  /** Changes the template. */
  roll(version: number, container?: object, settings?: Readonly<Record<string, string>>): Promise<void>
  scale(replicas: number): Promise<void>
  workload(): Promise<Found>
  untilWorkload(holds: (workload: Found) => boolean): Promise<Found>
  /** Returns the policy once `holds` returns true. */
  untilPolicy(holds: (policy: RolloutPolicy) => boolean): Promise<RolloutPolicy>
  /** Number of pods by image version. */
  versions(): Promise<Record<string, number>>
  /** Non-terminating pods of the workload. */
  pods(): Promise<readonly Found[]>
  jobs(): Promise<readonly KubeObject[]>
  /** Resolves when `holds` returns true for the Jobs. */
  untilJobs(holds: (jobs: readonly KubeObject[]) => boolean): Promise<void>
  /** Resolves when `holds` returns true for the non-terminating pods of the workload. */
  untilPods(holds: (pods: readonly Found[]) => boolean): Promise<void>
  /** Resolves when `holds` returns true for the ReplicaSets. */
  untilReplicaSets(holds: (sets: readonly Found[]) => boolean): Promise<void>
  /** Resolves when the object `web` does not exist. */
  untilGone(type: ResourceType): Promise<void>
  untilObject(apiVersion: string, kind: string, name: string, holds: (found: Found) => boolean): Promise<void>
  /** Annotations of the target revision of the last rollout. */
  annotations(): Promise<Readonly<Record<string, string>>>
  /** Replicas of each ReplicaSet, largest first. */
  replicaSets(): Promise<readonly number[]>
  /** Resolves when the workload has an event with this reason. */
  untilEvent(reason: string): Promise<void>
  /** Completes the pod of a running Job. */
  endJob(name: string): Promise<void>
  /** Pods of hooks that have no Job. */
  hookPods(): Promise<readonly KubeObject[]>
}

export const workloadTypes = {
  Deployment: resources.deployments,
  StatefulSet: resources.statefulSets,
  DaemonSet: resources.daemonSets,
}

export function stageOn(client: KubeClient, runtime: Runtime, namespace: string, signal: AbortSignal): Stage {
  let target = { kind: 'Deployment' as TargetKind, type: resources.deployments as (typeof resources)['deployments'] }
  const where = { namespace }
  const web = { name: 'web', namespace }
  // Each gets its own signal, because many listeners on one signal are reported as a leak.
  const ending = () => AbortSignal.any([signal])
  async function untilAll<T extends KubeObject>(
    type: ResourceType,
    selector: { readonly labelSelector?: string; readonly fieldSelector?: string },
    holds: (found: readonly T[]) => boolean,
  ): Promise<void> {
    const done = new AbortController()
    const reflector = createReflector<T, T>(client.of<T>(type), runtime, {
      ...where,
      ...selector,
      project: (object) => object,
    })
    const { cache } = reflector
    const held = cache.synced.then(
      () =>
        new Promise<void>((resolve) => {
          const look = () => void (holds([...cache.values()]) && resolve())
          cache.subscribe(look)
          look()
        }),
    )
    reflector.run(AbortSignal.any([signal, done.signal])).catch(() => undefined)
    await held.finally(() => done.abort())
  }
  const stage: Stage = {
    client,
    runtime,
    namespace,
    async running(kind, replicas, spec = {}) {
      target = { kind, type: workloadTypes[kind] as typeof target.type }
      const make = {
        Deployment: deployment,
        StatefulSet: statefulSet,
        DaemonSet: (name: string, _: number, more: object) => daemonSet(name, more),
      }[kind]
      const { metadata, ...object } = make('web', replicas, spec)
      await client
        .of<KubeObject>(target.type)
        .create({ apiVersion: 'apps/v1', kind, ...object, metadata: { ...metadata, ...where } } as KubeObject)
      await stage.untilWorkload((found) => isUp(found, replicas))
    },
    async policy(spec) {
      await stage.create(spec)
      await stage.untilPolicy(isAtRest)
    },
    async changePolicy(spec) {
      const operations = Object.entries(spec).map(([name, value]) => ({
        op: 'add' as const,
        path: `/spec/${name}`,
        value,
      }))
      await client.of(policyType).patch('web', { type: 'json', operations }, where)
    },
    async tell(annotation) {
      const id = (await stage.untilPolicy(() => true)).status?.rollout?.id ?? ''
      const value = { metadata: { annotations: { [annotation]: id } } }
      await client.of(policyType).patch('web', { type: 'merge', value }, where)
      return id
    },
    async removePolicy() {
      await client.of(policyType).delete('web', where)
    },
    async create(spec) {
      const targetRef = { apiVersion: 'apps/v1', kind: target.kind, name: 'web' } as const
      const policy: RolloutPolicy = {
        apiVersion: 'carabiner.dev/v1alpha1',
        kind: 'RolloutPolicy',
        metadata: web,
        spec: { targetRef, ...spec },
      }
      await client.of(policyType).create(policy)
    },
    async roll(version, container = {}, settings = {}) {
      const containers = [{ name: 'main', image: `example/app:${version}`, ...container }]
      const value = { ...podTemplate('web', undefined, settings), spec: { containers } }
      const operations = [{ op: 'replace' as const, path: '/spec/template', value }]
      await client.of(target.type).patch('web', { type: 'json', operations }, where)
    },
    async change(value) {
      await client.of(target.type).patch('web', { type: 'merge', value }, where)
    },
    label: (name, value) => stage.change({ metadata: { labels: { [name]: value } } }),
    async scale(replicas) {
      const value = { spec: { replicas } }
      await client.of(target.type).patch('web', { type: 'merge', value }, { ...where, subresource: 'scale' })
    },
    workload: async () => (await client.of(target.type).get('web', where)) as never,
    untilWorkload: (holds) => until(client.of<Found>(target.type), runtime, web, holds, ending()),
    untilPolicy: (holds) => until(client.of<RolloutPolicy>(policyType), runtime, web, holds, ending()),
    async pods() {
      const { items } = await client.of<Found>(resources.pods).list({ ...where, labelSelector: 'app=web' })
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    },
    async versions() {
      const counts: Record<string, number> = {}
      for (const { spec } of await stage.pods()) {
        const version = (spec['containers'] as { image: string }[])[0]?.image.replace('example/app:', 'v') ?? ''
        counts[version] = (counts[version] ?? 0) + 1
      }
      return counts
    },
    hookPods: async () =>
      (await client.of(resources.pods).list({ ...where, labelSelector: 'carabiner.dev/policy=web' })).items,
    async annotations() {
      const to = (await stage.untilPolicy(() => true)).status?.rollout?.to ?? ''
      return (await client.of(resources.replicaSets).get(to, where)).metadata.annotations ?? {}
    },
    async replicaSets() {
      const { items } = await client.of(resources.replicaSets).list(where)
      const sets = items as unknown as readonly { spec: { replicas: number } }[]
      return sets.map(({ spec }) => spec.replicas).toSorted((a, b) => b - a)
    },
    async untilEvent(reason) {
      for await (const event of client.of<Event>(resources.events).watch({ ...where, signal })) {
        if (event.type !== 'ADDED') continue
        const { regarding, reason: found } = event.object
        if (regarding?.kind === target.kind && found === reason) return
      }
      throw new Error(`no event ${reason} came`)
    },
    untilJobs: (holds) => untilAll<KubeObject>(resources.jobs, {}, holds),
    untilPods: (holds) =>
      untilAll<Found>(resources.pods, { labelSelector: 'app=web' }, (pods) =>
        holds(pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)),
      ),
    untilReplicaSets: (holds) => untilAll<Found>(resources.replicaSets, {}, holds),
    untilGone: (type) => untilAll(type, { fieldSelector: 'metadata.name=web' }, (found) => found.length === 0),
    async untilObject(apiVersion, kind, name, holds) {
      const handle = await client.find<Found>(apiVersion, kind)
      await until(handle, runtime, { name, namespace }, holds, ending())
    },
    jobs: async () => (await client.of(resources.jobs).list(where)).items,
    async endJob(name) {
      const selector = { labelSelector: `job-name=${name}` }
      let ready: readonly Found[] = []
      await untilAll<Found>(resources.pods, selector, (pods) => {
        ready = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && isReady(pod))
        return ready.length > 0
      })
      // The node writes no more status once the pod is ready.
      const patch = { type: 'merge' as const, value: { status: { phase: 'Succeeded' } } }
      for (const { metadata } of ready)
        await client.of(resources.pods).patch(metadata.name, patch, { ...where, subresource: 'status' })
    },
  }
  return stage
}

export function isReady({ status }: Found): boolean {
  const conditions = (status['conditions'] ?? []) as readonly { type: string; status: string }[]
  return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True')
}

function isUp({ kind, metadata, status = {} }: Found, replicas: number): boolean {
  if ((status['observedGeneration'] ?? 0) !== metadata.generation) return false
  if (kind !== 'DaemonSet') return (status['availableReplicas'] ?? 0) === replicas
  return (status['numberAvailable'] ?? 0) === status['desiredNumberScheduled'] && status['numberAvailable'] !== 0
}

/** The Job of a hook; by default it takes half a minute and succeeds. */
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
/** Whether the object of the hook exists in the ledger. */
export const isStarted =
  (name: string) =>
  ({ status }: RolloutPolicy): boolean =>
    status?.rollout?.hooks.some((record) => record.name === name && record.object !== undefined) === true
/** Whether no rollout is running and none is needed. */
export const isAtRest = ({ status }: RolloutPolicy): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false

export const hasEnded =
  (phase: string, type = 'ROLLOUT') =>
  (policy: RolloutPolicy): boolean =>
    isOver(policy) && policy.status?.rollout?.phase === phase && policy.status.rollout.type === type
