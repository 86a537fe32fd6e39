/** The pods, Jobs, ReplicaSets and events of a stage. */
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject, ResourceType } from '../../src/kube/object.ts'
import { createReflector } from '../../src/kube/reflector/reflector.ts'
import { until } from '../../src/kube/until.ts'
import type { policyOperations } from './rollout-stage-policy.ts'
import { type Found, isReady, type StageScope } from './rollout-stage-workload.ts'

export function objectOperations(scope: StageScope, { untilPolicy }: ReturnType<typeof policyOperations>) {
  const { client, runtime, namespace, signal } = scope
  const where = { namespace }
  /** Non-terminating pods of the workload. */
  const pods = async (): Promise<readonly Found[]> =>
    withoutTerminating((await client.of<Found>(resources.pods).list({ ...where, labelSelector: 'app=web' })).items)
  return {
    pods,
    /** Number of pods by image version. */
    async versions(): Promise<Record<string, number>> {
      const counts: Record<string, number> = {}
      for (const { spec } of await pods()) {
        const version = (spec['containers'] as { image: string }[])[0]?.image.replace('example/app:', 'v') ?? ''
        counts[version] = (counts[version] ?? 0) + 1
      }
      return counts
    },
    /** Pods of hooks that have no Job. */
    hookPods: async (): Promise<readonly KubeObject[]> =>
      (await client.of(resources.pods).list({ ...where, labelSelector: 'carabiner.dev/policy=web' })).items,
    /** Annotations of the target revision of the last rollout. */
    async annotations(): Promise<Readonly<Record<string, string>>> {
      const to = (await untilPolicy(() => true)).status?.rollout?.to ?? ''
      return (await client.of(resources.replicaSets).get(to, where)).metadata.annotations ?? {}
    },
    /** Replicas of each ReplicaSet, largest first. */
    async replicaSets(): Promise<readonly number[]> {
      const { items } = await client.of(resources.replicaSets).list(where)
      const sets = items as unknown as readonly { spec: { replicas: number } }[]
      return sets.map(({ spec }) => spec.replicas).toSorted((a, b) => b - a)
    },
    jobs: async (): Promise<readonly KubeObject[]> => (await client.of(resources.jobs).list(where)).items,
    ...waits(scope),
    /** Resolves when the object exists and `holds` returns true for it. */
    async untilObject(apiVersion: string, kind: string, name: string, holds: (found: Found) => boolean): Promise<void> {
      const handle = await client.find<Found>(apiVersion, kind)
      await until(handle, runtime, { name, namespace, signal: AbortSignal.any([signal]) }, holds)
    },
    /** Completes the pod of a running Job. */
    async endJob(name: string): Promise<void> {
      let ready: readonly Found[] = []
      await untilAll<Found>(scope, { type: resources.pods, labelSelector: `job-name=${name}` }, (found) => {
        ready = withoutTerminating(found).filter(isReady)
        return ready.length > 0
      })
      // The node writes no more status once the pod is ready.
      const patch = { type: 'merge' as const, value: { status: { phase: 'Succeeded' } } }
      for (const { metadata } of ready)
        await client.of(resources.pods).patch(metadata.name, patch, { ...where, subresource: 'status' })
    },
  }
}

function waits(scope: StageScope) {
  const { client, namespace, signal } = scope
  return {
    /** Resolves when `holds` returns true for the Jobs. */
    untilJobs: (holds: (jobs: readonly KubeObject[]) => boolean): Promise<void> =>
      untilAll<KubeObject>(scope, { type: resources.jobs }, holds),
    /** Resolves when `holds` returns true for the non-terminating pods of the workload. */
    untilPods: (holds: (pods: readonly Found[]) => boolean): Promise<void> =>
      untilAll<Found>(scope, { type: resources.pods, labelSelector: 'app=web' }, (found) =>
        holds(withoutTerminating(found)),
      ),
    /** Resolves when `holds` returns true for the ReplicaSets. */
    untilReplicaSets: (holds: (sets: readonly Found[]) => boolean): Promise<void> =>
      untilAll<Found>(scope, { type: resources.replicaSets }, holds),
    /** Resolves when the object `web` does not exist. */
    untilGone: (type: ResourceType): Promise<void> =>
      untilAll(scope, { type, fieldSelector: 'metadata.name=web' }, (found) => found.length === 0),
    /** Resolves when the workload has an event with this reason. */
    async untilEvent(reason: string): Promise<void> {
      for await (const event of client.of(resources.events).watch({ namespace, signal })) {
        if (event.type !== 'ADDED') continue
        const { regarding, reason: found } = event.object
        if (regarding?.kind === scope.target.kind && found === reason) return
      }
      throw new Error(`no event ${reason} came`)
    },
  }
}

function withoutTerminating(pods: readonly Found[]): readonly Found[] {
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
}

interface Watched {
  readonly type: ResourceType
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

async function untilAll<T extends KubeObject>(
  { client, runtime, namespace, signal }: StageScope,
  { type, ...selector }: Watched,
  holds: (found: readonly T[]) => boolean,
): Promise<void> {
  const done = new AbortController()
  const reflector = createReflector<T, T>(client.of<T>(type), runtime, {
    namespace,
    ...selector,
    project: (object) => object,
  })
  const { cache } = reflector
  const held = cache.synced.then(
    () =>
      new Promise<void>((resolve) => {
        const check = () => void (holds([...cache.values()]) && resolve())
        cache.subscribe(check)
        check()
      }),
  )
  reflector.run(AbortSignal.any([signal, done.signal])).catch(() => undefined)
  await held.finally(() => done.abort())
}
