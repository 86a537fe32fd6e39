/** What happened to the pods, their ReplicaSets, the workload and the policy of a scenario, each in the order of the server. */
import {
  createReflector,
  type KubeClient,
  type KubeObject,
  type ResourceType,
  resources,
} from '../../src/kube/index.ts'
import type { Cache } from '../../src/kube/reflector/cache.ts'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import type { RolloutPolicy, TargetKind } from '../../src/rollouts/policy/types.ts'
import type { Workload } from '../../src/rollouts/policy/workload.ts'
import type { Runtime } from '../../src/runtime/index.ts'
import type { Controllers } from '../../src/sandbox/index.ts'

export interface SeenSet extends KubeObject {
  readonly spec: { readonly replicas?: number }
}

export interface SeenPod extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

export interface Seen {
  readonly sets: readonly SeenSet[]
  readonly pods: readonly SeenPod[]
  readonly workloads: readonly Workload[]
  readonly policies: readonly RolloutPolicy[]
}

export const kinds: Readonly<Record<TargetKind, ResourceType>> = {
  Deployment: resources.deployments,
  StatefulSet: resources.statefulSets,
  DaemonSet: resources.daemonSets,
}

const isWeb = ({ metadata }: KubeObject): boolean => metadata.name === 'web'
const isOfWeb = ({ metadata }: KubeObject): boolean => metadata.labels?.['app'] === 'web'

/** As the caches of the native controllers see it, which costs nothing; to be called before they are filled. */
export function watchWorkload({ informers }: Controllers, kind: TargetKind): Omit<Seen, 'policies'> {
  return {
    sets: collect<SeenSet>(informers.of(resources.replicaSets), isOfWeb),
    pods: collect<SeenPod>(informers.of(resources.pods), isOfWeb),
    workloads: collect<Workload>(informers.of(kinds[kind]), isWeb),
  }
}

/** Until the signal; nothing is missed when a watch ends before it. */
export function watchPolicy(client: KubeClient, runtime: Runtime, signal: AbortSignal): readonly RolloutPolicy[] {
  const reflector = createReflector(client.of<RolloutPolicy>(policyType), runtime)
  const seen = collect<RolloutPolicy>(reflector.cache, isWeb)
  void reflector.run(signal)
  return seen
}

function collect<T extends KubeObject>(cache: Cache<T>, isMeant: (object: T) => boolean): readonly T[] {
  const seen: T[] = []
  cache.subscribe((change) => {
    if (change.type !== 'deleted' && isMeant(change.value)) seen.push(change.value)
  })
  return seen
}
