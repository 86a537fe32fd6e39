/** What happened to ReplicaSets and the policy, in the order of the server, and what must hold at each of those moments. */
import { type KubeClient, type KubeObject, resources } from '../../src/kube/index.ts'
import { policyType } from '../../src/rollouts/engine/caches.ts'
import { parsePoint, podsAt } from '../../src/rollouts/points/point.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import type { Deployment } from '../../src/rollouts/policy/workload.ts'
import { shareOf } from '../../src/rollouts/strategies/strategy.ts'

interface Sets extends KubeObject {
  readonly spec: { readonly replicas?: number }
}

export interface Seen {
  readonly sets: Sets[]
  readonly policies: RolloutPolicy[]
}

/** Collects until the signal. */
export function watchRollout(client: KubeClient, signal: AbortSignal): Seen {
  const seen: Seen = { sets: [], policies: [] }
  const collect = async <T extends KubeObject>(type: typeof policyType, into: T[]) => {
    for await (const event of client.of<T>(type).watch({ namespace: 'default', signal })) {
      if (event.type === 'ADDED' || event.type === 'MODIFIED') into.push(event.object)
    }
  }
  collect(resources.replicaSets as typeof policyType, seen.sets).catch(() => undefined)
  collect(policyType, seen.policies).catch(() => undefined)
  return seen
}

const versionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion)
const sizeOf = (set: Sets | undefined): number => (set === undefined ? 0 : (set.spec.replicas ?? 1))
/** The replicas of the Deployment for which its controller gave the set this size. */
const sizedFor = (set: Sets | undefined): number =>
  Number(set?.metadata.annotations?.['deployment.kubernetes.io/desired-replicas'] ?? 0)

/**
 * Moments at which there came to be too many pods, or new ones past a point whose hooks ran. Somebody who scales a Deployment with two
 * revisions has its own controller share the pods among both in proportion, at once and whatever is held: such a share is no violation, and
 * only a step with another number of replicas than the one before is taken for it.
 */
export function violations({ sets, policies }: Seen, strategy: Deployment['spec']['strategy'] = {}): readonly string[] {
  const maxSurge = strategy.type === 'Recreate' ? 0 : strategy.rollingUpdate?.maxSurge
  const current = new Map<string, Sets>()
  const found: string[] = []
  for (const set of sets.toSorted((a, b) => versionOf(a) - versionOf(b))) {
    const { name } = set.metadata
    const before = current.get(name)
    current.set(name, set)
    if (sizeOf(set) <= sizeOf(before)) continue
    const replicas = sizedFor(set)
    const total = [...current.values()].reduce((sum, one) => sum + sizeOf(one), 0)
    const most = replicas + shareOf(maxSurge, replicas, 'up')
    if (total > most) found.push(`${total} pods are wanted, more than ${most}`)
    if (sizeOf(before) > 0 && sizedFor(before) !== replicas) continue
    const rollout = policies.findLast((one) => versionOf(one) <= versionOf(set))?.status?.rollout
    if (rollout?.to !== name || rollout.endedAt !== undefined || rollout.phase === 'Finishing') continue
    for (const { name: hook, point, state } of rollout.hooks) {
      const bound = boundOf(point, replicas)
      if (state === 'Running' && sizeOf(set) > bound)
        found.push(`${sizeOf(set)} new pods while hook ${hook} at ${point} ran, more than ${bound}`)
    }
  }
  return found
}

function boundOf(written: string, replicas: number): number {
  const point = parsePoint(written)
  return point === undefined ? replicas : podsAt(point, replicas)
}
