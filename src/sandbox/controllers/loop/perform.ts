/**
 * Performs the writes of a decision in order, each with the resourceVersion it was decided on. A later write to the
 * same object uses the resourceVersion of the previous response.
 */
import { isNotFound, type KubeClient, type KubeObject, type ResourceClient } from '../../../kube/index.ts'
import type { Decision, EventWrite, Write } from '../decisions/decision.ts'

export type Recorder = (event: EventWrite) => void

/** A failed write with its cause. */
export class WriteFailed extends Error {
  readonly write: Write
  constructor(write: Write, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.write = write
  }
}

/** Converts a rejection reason to an Error. */
export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}

const identity = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`

function withLatestVersion(object: KubeObject, versions: ReadonlyMap<string, string>): KubeObject {
  const resourceVersion = versions.get(identity(object))
  return resourceVersion === undefined ? object : { ...object, metadata: { ...object.metadata, resourceVersion } }
}

async function performOne(
  client: ResourceClient,
  write: Exclude<Write, EventWrite>,
  versions: ReadonlyMap<string, string>,
): Promise<KubeObject | undefined> {
  const { metadata } = write.object
  const at = metadata.namespace === undefined ? {} : { namespace: metadata.namespace }
  const subresource =
    'subresource' in write && write.subresource !== undefined ? { subresource: write.subresource } : {}
  switch (write.verb) {
    case 'create':
      return client.create(write.object)
    case 'update':
      return client.update(withLatestVersion(write.object, versions), subresource)
    case 'patch':
      return client.patch(metadata.name, { type: 'merge', value: write.value }, { ...at, ...subresource })
    case 'delete':
      await client.delete(metadata.name, {
        ...at,
        ...(metadata.uid === undefined ? {} : { preconditions: { uid: metadata.uid } }),
        ...(write.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: write.gracePeriodSeconds }),
        ...(write.propagationPolicy === undefined ? {} : { propagationPolicy: write.propagationPolicy }),
      })
      return undefined
  }
}

/** Rejects with `WriteFailed` at the first failure; deleting a missing object succeeds. */
export async function perform(client: KubeClient, record: Recorder, decision: Decision): Promise<void> {
  const versions = new Map<string, string>()
  for (const write of decision.writes) {
    if (write.verb === 'event') {
      record(write)
      continue
    }
    try {
      const response = await performOne(client.of(write.type), write, versions)
      const version = response?.metadata.resourceVersion
      if (version !== undefined) versions.set(identity(write.object), version)
    } catch (error) {
      if (write.verb === 'delete' && isNotFound(error)) continue
      throw new WriteFailed(write, error)
    }
  }
}
