/**
 * Decides about one policy as the engine would, and writes nothing: for people who want to know what the engine finds and what it does next. What
 * only the engine's own process knows is left out: a request that is under way counts as running.
 */
import { type Observation, objectName, type Run } from '../../hooks/index.ts'
import type { KubeClient } from '../../kube/index.ts'
import type { Instant, Runtime } from '../../runtime/index.ts'
import { type Decided, decideNext, situations } from '../decide/index.ts'
import { gateKinds } from '../gate/kinds.ts'
import { type Caches, createCaches, type Observer, observe, type World, watchedTypes } from '../observe/index.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import { sourcesOf } from './sources.ts'

export interface ExplainedPolicy extends Decided {
  readonly world: World
  readonly now: Instant
  /** What the situation is. */
  readonly sentence: string
}

/** Rejects when something that the decision is made from cannot be read. */
export async function explainPolicy(
  client: KubeClient,
  runtime: Runtime,
  policy: RolloutPolicy,
  signal: AbortSignal,
): Promise<ExplainedPolicy> {
  const { namespace = '' } = policy.metadata
  // A reflector would retry what is refused.
  for (const type of watchedTypes) await client.of(type).list({ namespace, limit: 1, signal })
  const ending = new AbortController()
  const caches = createCaches(client, runtime, { namespace })
  const watching = caches.run(AbortSignal.any([signal, ending.signal]))
  try {
    await Promise.race([Promise.all(sourcesOf(caches).map(({ synced }) => synced)), watching])
    signal.throwIfAborted()
    const world = observe(caches, observerOf(caches, policy), policy)
    const now = runtime.clock.now()
    const decided = decideNext(world, now)
    return { ...decided, world, now, sentence: situations[decided.situation.name].sentence }
  } finally {
    ending.abort()
    await watching
  }
}

function observerOf(caches: Caches, { status }: RolloutPolicy): Observer {
  const missing = status?.conditions?.find(({ reason }) => reason === 'GateMissing')
  const records = status?.rollout?.hooks ?? []
  return {
    engine: records.find(({ starter }) => starter !== undefined)?.starter ?? 'explain',
    gate: { kind: gateKinds.find((kind) => kind === status?.gate) ?? 'policies', problem: missing?.message },
    executors: [
      { observe: (run) => observeObject(caches, run) },
      { observe: ({ hook }) => observeRequest(records.find(({ name }) => name === hook)) },
    ],
    isLeaving: () => false,
    hasDeleted: () => false,
    startOf: () => undefined,
  }
}

function observeObject({ hooks }: Caches, run: Run): Observation {
  const key = `${run.subject.namespace}/${objectName(run)}`
  const found = hooks.map((cache) => cache.get(key)).find((object) => object !== undefined)
  return found?.observation ?? { state: 'absent' }
}

function observeRequest(record?: { readonly object?: unknown; readonly startedAt?: string }): Observation {
  if (record === undefined || record.object !== undefined) return { state: 'absent' }
  return { state: 'running', since: Date.parse(record.startedAt ?? '') || 0 }
}
