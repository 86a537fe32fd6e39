/** Writes of ReplicaSets and ControllerRevisions. A write that is repeated, or comes too late, changes nothing. */
import { isConflict, isNotFound, type KubeClient, type KubeObject, unless } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { RevisionWrite } from '../decide/index.ts'
import { hiddenFrom, isHidden, shownAgain } from '../objects/hidden-replica-set.ts'
import type { Revision, World } from '../observe/index.ts'
import type { Deployment } from '../policy/workload.ts'
import { metadataOnly, nothingWritten, type Written } from './written.ts'

type ReplicaSet = KubeObject & { readonly spec: { readonly replicas?: number } }

export function revisionType({ kind }: Revision) {
  return kind === 'ReplicaSet' ? resources.replicaSets : resources.controllerRevisions
}

export async function writeRevision(
  client: KubeClient,
  { policy, workload }: World,
  write: RevisionWrite,
): Promise<Written> {
  const namespace = policy.metadata.namespace ?? ''
  const { revision } = write
  const { name, uid } = revision
  switch (write.kind) {
    case 'hide':
    case 'unhide':
      await changeVisibility(client, workload as Deployment, write)
      break
    case 'delete-duplicate':
      await client
        .of(resources.replicaSets)
        .delete(name, { namespace, preconditions: { uid } })
        .catch(unless(isNotFound, isConflict))
      break
    case 'annotate-revision': {
      // Without a version: the annotations belong to the engine, and nothing is decided from them.
      const value = { metadata: { annotations: write.annotations } }
      await client.of(revisionType(revision)).patch(name, { type: 'merge', value }, { namespace, ...metadataOnly })
    }
  }
  return nothingWritten
}

type VisibilityWrite = Extract<RevisionWrite, { readonly kind: 'hide' | 'unhide' }>

export async function changeVisibility(
  client: KubeClient,
  deployment: Deployment,
  { kind, revision: { name, uid } }: VisibilityWrite,
): Promise<void> {
  const namespace = deployment.metadata.namespace ?? ''
  const handle = client.of<ReplicaSet>(resources.replicaSets)
  const set = await handle.get(name, { namespace }).catch(unless(isNotFound))
  if (set?.metadata.uid !== uid || isHidden(set) === (kind === 'hide')) return
  // A ReplicaSet with replicas is in use, whatever the caches show.
  if (kind === 'hide' && set.spec.replicas !== 0) return
  const kept = kind === 'hide' ? hiddenFrom(deployment, set) : shownAgain(deployment, set)
  const fields = { ...kept, resourceVersion: set.metadata.resourceVersion }
  const operations = Object.entries(fields).map(([field, value]) => {
    return { op: 'add' as const, path: `/metadata/${field}`, value }
  })
  await handle.patch(name, { type: 'json', operations }, { namespace })
}
