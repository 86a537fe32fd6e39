/**
 * What is kept of the objects the engine watches. There may be tens of thousands of them, of which a handful is of interest at a time, so
 * that every field counts.
 */
import { type LogSource, logSourceOf, type Observation, projectHookObject } from '../../hooks/index.ts'
import type { KubeObject } from '../../kube/index.ts'
import { lifecyclePrefix } from '../labels.ts'
import { isHidden } from '../objects/hidden-replica-set.ts'
import { templateIn } from '../objects/revision-template.ts'
import type { TemplateHashes } from '../objects/template-hash.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { Packed, targetOf } from './packed.ts'
import { PackedPolicy } from './packed-policy.ts'
import type { PodState, Revision } from './world.ts'

/** A revision or pod and the uid of the object that controls it, or will. */
export interface Owned<T> {
  readonly owner: string
  readonly value: T
}

export interface OwnedPod extends Owned<PodState> {
  /** Of the pod of a Job, which may be that of a hook. */
  readonly logSource?: LogSource
  /** Of the pod of a Job: how it failed, which the Job does not say. */
  readonly failure?: Extract<Observation, { readonly state: 'failed' }>
}

const none = {}

export function packWorkload(object: KubeObject): Packed<Workload> {
  const { kind, metadata } = object
  return new Packed(object as Workload, targetOf(kind, metadata.namespace, metadata.name))
}

export function packPolicy(object: KubeObject): PackedPolicy {
  return new PackedPolicy(object as RolloutPolicy)
}

function ownerOf({ metadata }: KubeObject) {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}

export function projectRevision(object: KubeObject, hashes: TemplateHashes): Owned<Revision> {
  const { revision, metadata, kind: own } = object as KubeObject & { readonly revision?: number }
  const annotations = metadata.annotations ?? {}
  const kept = Object.entries(annotations).filter(([name]) => name.startsWith(lifecyclePrefix))
  // Any client may write the annotation: a value that is no number is ignored.
  const number = revision ?? (Number(annotations['deployment.kubernetes.io/revision']) || 0)
  const earlier = Number.parseInt(annotations['deployment.kubernetes.io/revision-history'] ?? '', 10)
  const value: Revision = {
    kind: own === 'ReplicaSet' ? 'ReplicaSet' : 'ControllerRevision',
    name: metadata.name,
    uid: metadata.uid ?? '',
    number,
    // A ControllerRevision that is used again loses its number.
    ...(own === 'ReplicaSet' && number > 0 ? { firstNumber: earlier || number } : {}),
    ...hashes.of(object, () => templateIn(object)),
    createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    annotations: kept.length === 0 ? none : Object.fromEntries(kept),
  }
  if (!isHidden(object)) return { owner: ownerOf(object)?.uid ?? '', value }
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'Deployment')
  return { owner: owner?.uid ?? '', value: { ...value, isHidden: true } }
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
export function projectPod(object: KubeObject): OwnedPod {
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
  if (owner?.kind !== 'Job') return { owner: uid, value }
  const { observation } = projectHookObject(object)
  const failure = observation.state === 'failed' ? { failure: observation } : {}
  return { owner: uid, value, logSource: logSourceOf(object), ...failure }
}
