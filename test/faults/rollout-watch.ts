/** What happened to ReplicaSets and the policy, in the order of the server, and what must hold at each of those moments. */
import { type KubeClient, type KubeObject, resources } from '../../src/kube/index.ts'
import { policyType } from '../../src/rollouts/engine/caches.ts'
import { parsePoint, podsAt } from '../../src/rollouts/points/point.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'

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

/**
 * Moments at which there were too many pods, or new ones past a point whose hooks ran. The native controller shares pods that come by
 * scaling out among all revisions and rounds: where somebody scales, `rounding` more are no violation.
 */
export function violations({ sets, policies }: Seen, most: number, replicas: number, rounding = 0): readonly string[] {
  const wanted = new Map<string, number>()
  // Who goes back to a revision that still has pods cannot be held below them.
  const atStart = new Map<string, number>()
  const found: string[] = []
  for (const set of sets.toSorted((a, b) => versionOf(a) - versionOf(b))) {
    wanted.set(set.metadata.name, set.spec.replicas ?? 1)
    const total = [...wanted.values()].reduce((sum, one) => sum + one, 0)
    if (total > most) found.push(`${total} pods are wanted, more than ${most}`)
    const policy = policies.filter((one) => versionOf(one) <= versionOf(set)).at(-1)
    const rollout = policy?.status?.rollout
    if (rollout === undefined || rollout.endedAt !== undefined || rollout.phase === 'Finishing') continue
    const fresh = wanted.get(rollout.to) ?? 0
    const first = atStart.get(rollout.id) ?? fresh
    atStart.set(rollout.id, first)
    const running = rollout.hooks.filter(({ state }) => state === 'Running')
    for (const { name, point } of running) {
      const bound = boundOf(point, replicas) + rounding
      if (fresh > bound && first <= bound)
        found.push(`${fresh} new pods while hook ${name} at ${point} ran, more than ${bound}`)
    }
  }
  return found
}

function boundOf(written: string, replicas: number): number {
  const point = parsePoint(written)
  return point === undefined ? replicas : podsAt(point, replicas)
}
