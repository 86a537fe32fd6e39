/** The workload `web` of a stage, and the changes that users make to it. */
import type { KubeClient } from '../../src/kube/client/client.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { until } from '../../src/kube/until.ts'
import type { TargetKind } from '../../src/rollouts/policy/types.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { daemonSet, deployment, podTemplate, statefulSet } from './workloads.ts'

export type Found = KubeObject & { spec: Record<string, unknown>; status: Record<string, unknown> }

export const workloadTypes = {
  Deployment: resources.deployments,
  StatefulSet: resources.statefulSets,
  DaemonSet: resources.daemonSets,
}

export interface StageScope {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly namespace: string
  readonly signal: AbortSignal
  /** The kind of the workload; `running` sets it. */
  target: { readonly kind: TargetKind; readonly type: (typeof resources)['deployments'] }
}

export function workloadOperations(scope: StageScope) {
  const { client, runtime, namespace, signal } = scope
  const where = { namespace }
  const change = async (value: object): Promise<void> => {
    await client.of(scope.target.type).patch('web', { type: 'merge', value }, where)
  }
  // Each wait has its own signal, because many listeners on one signal are reported as a leak.
  const untilWorkload = (holds: (workload: Found) => boolean): Promise<Found> =>
    until(
      client.of<Found>(scope.target.type),
      runtime,
      { name: 'web', namespace, signal: AbortSignal.any([signal]) },
      holds,
    )
  return {
    /** Creates the workload with one version and waits for its pods. */
    async running(kind: TargetKind, replicas: number, spec: object = {}): Promise<void> {
      scope.target = { kind, type: workloadTypes[kind] as StageScope['target']['type'] }
      const make = {
        Deployment: deployment,
        StatefulSet: statefulSet,
        DaemonSet: (name: string, _: number, more: object) => daemonSet(name, more),
      }[kind]
      const { metadata, ...object } = make('web', replicas, spec)
      await client
        .of<KubeObject>(scope.target.type)
        .create({ apiVersion: 'apps/v1', kind, ...object, metadata: { ...metadata, ...where } } as KubeObject)
      await untilWorkload((found) => isUp(found, replicas))
    },
    /** Changes the template. */
    async roll(
      version: number,
      container: object = {},
      settings: Readonly<Record<string, string>> = {},
    ): Promise<void> {
      const containers = [{ name: 'main', image: `example/app:${version}`, ...container }]
      const value = { ...podTemplate('web', undefined, settings), spec: { containers } }
      const operations = [{ op: 'replace' as const, path: '/spec/template', value }]
      await client.of(scope.target.type).patch('web', { type: 'json', operations }, where)
    },
    /** Applies a merge patch to the workload, like any client. */
    change,
    label: (name: string, value: string): Promise<void> => change({ metadata: { labels: { [name]: value } } }),
    async scale(replicas: number): Promise<void> {
      const value = { spec: { replicas } }
      await client.of(scope.target.type).patch('web', { type: 'merge', value }, { ...where, subresource: 'scale' })
    },
    workload: async (): Promise<Found> => (await client.of(scope.target.type).get('web', where)) as never,
    untilWorkload,
  }
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
