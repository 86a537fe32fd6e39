/**
 * What the engine watches, each as a projection: policies and workloads, the revisions and pods of workloads, and the Jobs and pods of
 * hooks.
 */
import { type HookObject, projectHookObject } from '../../hooks/index.ts'
import {
  type Cache,
  createReflector,
  type KubeClient,
  type Reflector,
  type ReflectorOptions,
  type ResourceType,
} from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import { policyLabel } from '../labels.ts'
import { TemplateHashes } from '../objects/template-hash.ts'
import { group, kind, version } from '../policy/definition.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { CompiledPolicies } from './compiled-policies.ts'
import type { Packed } from './packed.ts'
import { type Owned, type OwnedPod, packPolicy, packWorkload, projectPod, projectRevision } from './projections.ts'
import type { Revision } from './world.ts'

export const policyType: ResourceType = { group, version, resource: 'rolloutpolicies', kind, namespaced: true }

/** Everything that is watched. */
export const watchedTypes: readonly ResourceType[] = [
  policyType,
  ...[resources.deployments, resources.statefulSets, resources.daemonSets],
  ...[resources.replicaSets, resources.controllerRevisions, resources.pods, resources.jobs],
]

export interface Caches {
  readonly policies: Cache<Packed<RolloutPolicy>>
  readonly workloads: Readonly<Record<string, Cache<Packed<Workload>>>>
  readonly revisions: readonly Cache<Owned<Revision>>[]
  readonly pods: Cache<OwnedPod>
  readonly hooks: readonly Cache<HookObject>[]
  readonly hashes: TemplateHashes
  readonly compiled: CompiledPolicies
  run(signal: AbortSignal): Promise<void>
}

const byOwner = { owner: ({ owner }: Owned<unknown>) => [owner] }
const byOwnerAndUid = { ...byOwner, uid: ({ value }: Owned<Revision>) => [value.uid] }
const byUid = { uid: ({ uid }: Packed<Workload>) => [uid] }
const byTarget = { target: ({ target }: Packed<RolloutPolicy>) => [target] }
const byPolicy = { policy: ({ namespace, labels }: HookObject) => [`${namespace}/${labels[policyLabel]}`] }

/** Most changes of revisions, pods and Jobs are of what a projection leaves out, and would only have a policy looked at in vain. */
const isSame = (before: unknown, after: unknown) => JSON.stringify(before) === JSON.stringify(after)

/** `scope` is one namespace, or all without it. */
export function createCaches(
  client: KubeClient,
  runtime: Runtime,
  scope: Pick<ReflectorOptions<unknown>, 'namespace'> = {},
): Caches {
  const reflectors: Reflector<unknown>[] = []
  const hashes = new TemplateHashes()
  const keep = <T>(reflector: Reflector<T>): Cache<T> => {
    reflectors.push(reflector as Reflector<unknown>)
    return reflector.cache
  }
  const workloads = (type: ResourceType) =>
    keep(
      createReflector<Packed<Workload>>(client.of(type), runtime, { ...scope, project: packWorkload, indexes: byUid }),
    )
  const hookOptions = { ...scope, labelSelector: policyLabel, project: projectHookObject, indexes: byPolicy, isSame }
  return {
    hashes,
    compiled: new CompiledPolicies(),
    policies: keep(
      createReflector<Packed<RolloutPolicy>>(client.of(policyType), runtime, {
        ...scope,
        project: packPolicy,
        indexes: byTarget,
      }),
    ),
    workloads: {
      Deployment: workloads(resources.deployments),
      StatefulSet: workloads(resources.statefulSets),
      DaemonSet: workloads(resources.daemonSets),
    },
    revisions: [resources.replicaSets, resources.controllerRevisions].map((type) =>
      keep(
        createReflector<Owned<Revision>>(client.of(type), runtime, {
          ...scope,
          project: (object) => projectRevision(object, hashes),
          indexes: byOwnerAndUid,
          isSame,
        }),
      ),
    ),
    pods: keep(
      createReflector<OwnedPod>(client.of(resources.pods), runtime, {
        ...scope,
        project: projectPod,
        indexes: byOwner,
        isSame,
      }),
    ),
    hooks: [resources.jobs, resources.pods].map((type) =>
      keep(createReflector<HookObject>(client.of(type), runtime, hookOptions)),
    ),
    async run(signal) {
      const running: Promise<void>[] = []
      // Two lists at a time: all together they would take no less time, but many times the memory and the connections.
      let before: Promise<void> = Promise.resolve()
      for (const reflector of reflectors) {
        // A signal of its own for each: so many listeners on one look like a leak.
        const ended = reflector.run(AbortSignal.any([signal]))
        running.push(ended)
        await before
        before = Promise.race([reflector.cache.synced, ended])
      }
      await Promise.all(running)
    },
  }
}
