/** Writes a status that was computed from a cache. On a conflict the same status is written once to the latest object. */
import { isConflict, type KubeObject, type ResourceClient } from '../../../kube/index.ts'

export async function writeStatus<T extends KubeObject & { status?: unknown }>(
  handle: ResourceClient<T>,
  object: T,
  status: NonNullable<T['status']>,
): Promise<void> {
  try {
    await handle.update({ ...object, status }, { subresource: 'status' })
  } catch (error) {
    if (!isConflict(error)) throw error
    const { name, namespace, uid } = object.metadata
    const fresh = await handle.get(name, namespace === undefined ? {} : { namespace })
    if (fresh.metadata.uid === uid) await handle.update({ ...fresh, status }, { subresource: 'status' })
  }
}
