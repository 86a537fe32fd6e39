/**
 * Carries out a decision: walks over its writes in their order. A write that finds its object changed ends the walk; the next decision is made
 * from what is there then.
 */
import { isAlreadyExists, isConflict, isNotFound, type KubeObject, unless } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { largest } from '../../runtime/index.ts'
import {
  type CreateRevision,
  type Decision,
  type EventWrite,
  type PodDelete,
  type PolicyWrite,
  type RevisionWrite,
  type TidyWrite,
  type WorkloadWrite,
  type Write,
  writesOf,
} from '../decide/index.ts'
import { hiddenFrom } from '../objects/hidden-replica-set.ts'
import { replicaSetManager, replicaSetOf } from '../objects/replica-set.ts'
import { policyType, type World } from '../observe/index.ts'
import type { Deployment } from '../policy/workload.ts'
import type { EngineDeps } from './engine-deps.ts'
import { holds } from './guard.ts'
import { cancelHook, removeHook, startHook, tidy } from './hooks.ts'
import { writeRevision } from './write-revision.ts'
import { targetOf, writeWorkload } from './write-workload.ts'
import { metadataOnly, nothingWritten, versionOf, type Written } from './written.ts'

export async function perform(deps: EngineDeps, world: World, decision: Decision): Promise<Written> {
  let written = nothingWritten
  if (!(await holds(deps.client, world.policy, decision))) return written
  for (const write of writesOf(decision)) written = { ...written, ...(await performOne(deps, world, write, written)) }
  return written
}

/** `before` is what the same decision has written so far. */
type Performer<W extends Write> = (deps: EngineDeps, world: World, write: W, before: Written) => Promise<Written>
type OfKind<K extends Write['kind'], W = Write> = W extends { readonly kind: infer Kinds }
  ? K extends Kinds
    ? W
    : never
  : never

const ofRevision: Performer<RevisionWrite> = ({ client }, world, write) => writeRevision(client, world, write)
const ofWorkload: Performer<WorkloadWrite> = ({ client }, world, write) => writeWorkload(client, targetOf(world), write)
const ofCleanup: Performer<TidyWrite> = (deps, _, write) => tidy(deps, write)

const performers: { readonly [K in Write['kind']]: Performer<OfKind<K> & Write> } = {
  status: writePolicy,
  finalizers: writePolicy,
  'clear-requests': writePolicy,
  'create-revision': createRevision,
  hide: ofRevision,
  unhide: ofRevision,
  'delete-duplicate': ofRevision,
  'annotate-revision': ofRevision,
  workload: ofWorkload,
  'report-failed': ofWorkload,
  'report-paused': ofWorkload,
  'restore-template': ofWorkload,
  'start-hook': (deps, world, write, before) => startHook(deps, world, write, before.revision ?? ''),
  'cancel-hook': (deps, _, { run }) => cancelHook(deps, run),
  'remove-hook': (deps, _, { run }) => removeHook(deps, run),
  'delete-pod': deletePod,
  event: recordEvent,
  'remove-leftover': ofCleanup,
  'retire-leftover': ofCleanup,
  'remove-stray': ofCleanup,
}

function performOne(deps: EngineDeps, world: World, write: Write, before: Written): Promise<Written> {
  return (performers[write.kind] as Performer<Write>)(deps, world, write, before)
}

async function writePolicy({ client, reports }: EngineDeps, world: World, write: PolicyWrite): Promise<Written> {
  const { policy } = world
  const { name, namespace = '', resourceVersion } = policy.metadata
  const handle = client.of(policyType)
  const at = { namespace, ...metadataOnly }
  switch (write.kind) {
    case 'status': {
      const changed = { ...policy, status: write.status } as KubeObject
      const stored = await handle.update(changed, { subresource: 'status', ...metadataOnly })
      reports.onStatusWritten(world, write.status)
      return versionOf('policy', stored)
    }
    case 'finalizers': {
      const value = { metadata: { resourceVersion, finalizers: write.finalizers } }
      return versionOf('policy', await handle.patch(name, { type: 'merge', value }, at))
    }
    case 'clear-requests': {
      // Without a version: names contain the rollout or the run they are about, so that no newer request is removed.
      const value = { metadata: { annotations: Object.fromEntries(write.annotations.map((key) => [key, null])) } }
      return versionOf('policy', await handle.patch(name, { type: 'merge', value }, at))
    }
  }
}

/** A ReplicaSet that exists already was created by another engine: the next decision is made with it. */
async function createRevision(
  { client }: EngineDeps,
  world: World,
  { name, isHidden }: CreateRevision,
): Promise<Written> {
  const number = 1 + Math.max(0, largest(world.revisions.map((revision) => revision.number)))
  const deployment = targetOf(world) as Deployment
  const set = replicaSetOf(deployment, name, number)
  const shown = isHidden ? { ...set, metadata: { ...set.metadata, ...hiddenFrom(deployment, set) } } : set
  const created = await client
    .of<KubeObject>(resources.replicaSets)
    .create(shown, { fieldManager: replicaSetManager, ...metadataOnly })
    .catch(unless(isAlreadyExists))
  return created?.metadata.uid === undefined ? nothingWritten : { revision: created.metadata.uid }
}

async function deletePod(
  { client, recent }: EngineDeps,
  { policy }: World,
  { name, uid }: PodDelete,
): Promise<Written> {
  const namespace = policy.metadata.namespace ?? ''
  await client
    .of(resources.pods)
    .delete(name, { namespace, preconditions: { uid } })
    .catch(unless(isNotFound, isConflict))
  recent.deleted(uid)
  return nothingWritten
}

async function recordEvent({ events }: EngineDeps, { policy, workload }: World, write: EventWrite): Promise<Written> {
  const { type, reason, message: note, isRoutine } = write
  if (workload === undefined || isRoutine !== true) events.record(policy, { type, reason, note })
  if (workload !== undefined) events.record(workload, { type, reason, note })
  return nothingWritten
}
