/**
 * What the engine watches, each as a projection: policies and workloads, the revisions and pods of workloads, and the Jobs and pods of
 * hooks.
 */
import { type HookObject, projectHookObject } from '../../hooks/executors/objects.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject, ResourceType } from '../../kube/object.ts'
import type { Cache, Reflector } from '../../kube/reflector/cache.ts'
import { createReflector } from '../../kube/reflector/reflector.ts'
import { resources } from '../../kube/types.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { policyLabel } from '../labels.ts'
import { group, kind, version } from '../policy/definition.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { templateIn } from './revision.ts'
import { templateHash } from './template-hash.ts'
import type { PodState, Revision } from './world.ts'

export const policyType: ResourceType = { group, version, resource: 'rolloutpolicies', kind, namespaced: true }

/** A revision or pod and the uid of the object that controls it. */
export interface Owned<T> {
  readonly owner: string
  readonly namespace: string
  readonly value: T
}

export interface Caches {
  readonly policies: Cache<RolloutPolicy>
  readonly workloads: Readonly<Record<string, Cache<Workload>>>
  readonly revisions: readonly Cache<Owned<Revision>>[]
  readonly pods: Cache<Owned<PodState>>
  readonly hooks: readonly Cache<HookObject>[]
  run(signal: AbortSignal): Promise<void>
}

const byOwner = {
  owner: ({ owner }: Owned<unknown>) => [owner],
  uid: ({ value }: Owned<{ readonly uid: string }>) => [value.uid],
}
const byUid = { uid: ({ metadata }: Workload) => [metadata.uid ?? ''] }
const byTarget = {
  target: ({ spec, metadata }: RolloutPolicy) => [
    `${spec.targetRef.kind}/${metadata.namespace}/${spec.targetRef.name}`,
  ],
}

const byPolicy = { policy: ({ namespace, labels }: HookObject) => [`${namespace}/${labels[policyLabel]}`] }

export function createCaches(client: KubeClient, runtime: Runtime): Caches {
  const reflectors: Reflector<unknown>[] = []
  const keep = <T>(reflector: Reflector<T>): Cache<T> => {
    reflectors.push(reflector as Reflector<unknown>)
    return reflector.cache
  }
  const workloads = (type: ResourceType) =>
    keep(
      createReflector<Workload>(client.of(type), runtime, { project: (object) => object as Workload, indexes: byUid }),
    )
  const hookOptions = { labelSelector: policyLabel, project: projectHookObject, indexes: byPolicy }
  return {
    policies: keep(
      createReflector<RolloutPolicy>(client.of(policyType), runtime, {
        project: (object) => object as RolloutPolicy,
        indexes: byTarget,
      }),
    ),
    workloads: {
      Deployment: workloads(resources.deployments),
      StatefulSet: workloads(resources.statefulSets),
      DaemonSet: workloads(resources.daemonSets),
    },
    revisions: [resources.replicaSets, resources.controllerRevisions].map((type) =>
      keep(createReflector<Owned<Revision>>(client.of(type), runtime, { project: projectRevision, indexes: byOwner })),
    ),
    pods: keep(
      createReflector<Owned<PodState>>(client.of(resources.pods), runtime, { project: projectPod, indexes: byOwner }),
    ),
    hooks: [resources.jobs, resources.pods].map((type) =>
      keep(createReflector<HookObject>(client.of(type), runtime, hookOptions)),
    ),
    async run(signal) {
      const running: Promise<void>[] = []
      // One list after the other: together they would take no less time, but many times the memory and the connections.
      for (const reflector of reflectors) {
        // A signal of its own for each: so many listeners on one look like a leak.
        const ended = reflector.run(AbortSignal.any([signal]))
        running.push(ended)
        await Promise.race([reflector.cache.synced, ended])
      }
      await Promise.all(running)
    },
  }
}

function ownerOf({ metadata }: KubeObject) {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}

function projectRevision(object: KubeObject): Owned<Revision> {
  const { revision, metadata, kind: own } = object as KubeObject & { readonly revision?: number }
  const annotations = metadata.annotations ?? {}
  const number = revision ?? Number(annotations['deployment.kubernetes.io/revision'] ?? 0)
  const earlier = Number.parseInt(annotations['deployment.kubernetes.io/revision-history'] ?? '', 10)
  const value: Revision = {
    kind: own === 'ReplicaSet' ? 'ReplicaSet' : 'ControllerRevision',
    name: metadata.name,
    uid: metadata.uid ?? '',
    number,
    // A ControllerRevision that is used again loses its number.
    ...(own === 'ReplicaSet' && number > 0 ? { firstNumber: earlier || number } : {}),
    templateHash: templateHash(templateIn(object)),
    createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    annotations,
  }
  return { owner: ownerOf(object)?.uid ?? '', namespace: metadata.namespace ?? '', value }
}

interface PodObject extends KubeObject {
  readonly status?: {
    readonly phase?: string
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly lastTransitionTime?: string
    }[]
  }
}

/**
 * Pods of Deployments are found by their ReplicaSet, those of the other kinds by the workload and a label: the name of the revision on
 * pods of a StatefulSet, only the end of that name on pods of a DaemonSet.
 */
function projectPod(object: KubeObject): Owned<PodState> {
  const { metadata, status } = object as PodObject
  const owner = ownerOf(object)
  const uid = owner?.uid ?? ''
  const hash = metadata.labels?.['controller-revision-hash']
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  const value: PodState = {
    name: metadata.name,
    uid: metadata.uid ?? '',
    revision: hash === undefined ? uid : owner?.kind === 'DaemonSet' ? `${owner.name}-${hash}` : hash,
    readySince: ready?.status === 'True' ? Date.parse(ready.lastTransitionTime ?? '') || 0 : undefined,
    isEnding: metadata.deletionTimestamp !== undefined,
    isFailed: status?.phase === 'Failed',
  }
  return { owner: uid, namespace: metadata.namespace ?? '', value }
}
