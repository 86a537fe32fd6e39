/** Writes of the workload: its gate, its template, and what its status reports. */
import { type KubeClient, secondTime } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { Instant } from '../../runtime/index.ts'
import type { WorkloadWrite } from '../decide/index.ts'
import { gatePatch, type PatchOperation } from '../gate/gate.ts'
import { templateIn } from '../objects/revision-template.ts'
import { templateHash } from '../objects/template-hash.ts'
import type { Revision, World } from '../observe/index.ts'
import type { Deployment, PodTemplate, Workload, WorkloadCondition } from '../policy/workload.ts'
import { disown, workloadManager } from './disown.ts'
import { revisionType } from './write-revision.ts'
import { metadataOnly, nothingWritten, versionOf, type Written } from './written.ts'

const types = {
  Deployment: resources.deployments,
  StatefulSet: resources.statefulSets,
  DaemonSet: resources.daemonSets,
} as const

export function targetOf({ workload }: World): Workload {
  if (workload === undefined) throw new Error('a decision about a workload was made without one')
  return workload
}

export function writeWorkload(client: KubeClient, workload: Workload, write: WorkloadWrite): Promise<Written> {
  switch (write.kind) {
    case 'workload':
      return patchWorkload(client, workload, write.patch)
    case 'restore-template':
      return restoreTemplate(client, workload, write.revision)
    case 'report-failed': {
      // Plain `kubectl rollout status` ends with an error when it reads this reason.
      const failed = { status: 'False', reason: 'ProgressDeadlineExceeded', message: write.message }
      return reportProgress(client, workload as Deployment, failed, write.at)
    }
    case 'report-paused': {
      // As the native controller reports a paused Deployment that has not failed before.
      const paused = { status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' }
      return reportProgress(client, workload as Deployment, paused, write.at)
    }
  }
}

function handleOf(client: KubeClient, { kind }: Workload) {
  return client.of(types[kind as keyof typeof types])
}

async function patchWorkload(client: KubeClient, workload: Workload, patch: { metadata?: object }): Promise<Written> {
  const { metadata } = workload
  const value = { ...patch, metadata: { ...patch.metadata, resourceVersion: metadata.resourceVersion } }
  const handle = handleOf(client, workload)
  const named = { namespace: metadata.namespace ?? '', fieldManager: workloadManager, answer: 'managers' } as const
  return versionOf('workload', await disown(handle, await handle.patch(metadata.name, { type: 'merge', value }, named)))
}

async function restoreTemplate(client: KubeClient, workload: Workload, revision: Revision): Promise<Written> {
  const { name, namespace = '' } = workload.metadata
  const template = templateIn(await client.of(revisionType(revision)).get(revision.name, { namespace }))
  // A revision that was created again under this name may hold a different template: skip it.
  if (templateHash(template) !== revision.templateHash) return nothingWritten
  const operations = templatePatch(workload, template)
  const named = { namespace, ...metadataOnly, fieldManager: workloadManager }
  return versionOf('workload', await handleOf(client, workload).patch(name, { type: 'json', operations }, named))
}

/** The engine is exempt from its own gate, and so closes it itself, as admission would have done for a person's write of this template. */
function templatePatch(workload: Workload, template: PodTemplate): readonly PatchOperation[] {
  const object = { ...workload, spec: { ...workload.spec, template } } as Workload
  return [
    { op: 'add', path: '/metadata/resourceVersion', value: workload.metadata.resourceVersion },
    { op: 'add', path: '/spec/template', value: template },
    ...gatePatch({ object, old: workload, byEngine: false }),
  ]
}

/** With the times that the native controller would have written: it computes deadlines from them. */
async function reportProgress(
  client: KubeClient,
  { metadata, status }: Deployment,
  said: Pick<WorkloadCondition, 'status' | 'reason' | 'message'>,
  at: Instant,
): Promise<Written> {
  const type = 'Progressing'
  const before = status?.conditions?.find((condition) => condition.type === type)
  const time = secondTime(at)
  const lastTransitionTime = before?.status === said.status ? (before.lastTransitionTime ?? time) : time
  const now = { type, ...said, lastUpdateTime: time, lastTransitionTime }
  const conditions = [...(status?.conditions ?? []).filter((condition) => condition.type !== type), now]
  const value = { metadata: { resourceVersion: metadata.resourceVersion }, status: { conditions } }
  const where = { namespace: metadata.namespace ?? '', subresource: 'status', ...metadataOnly }
  const stored = await client.of(resources.deployments).patch(metadata.name, { type: 'merge', value }, where)
  return versionOf('workload', stored)
}
