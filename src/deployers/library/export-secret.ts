/** Writes the secret with the exports of an item. The item owns it, so garbage collection deletes it with the item. */
import { isAlreadyExists, type KubeClient, type KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { type Json, textToBase64 } from '../../runtime/index.ts'
import { exportKey } from '../resources/annotations.ts'
import type { ObjectReference } from '../resources/types.ts'

/** Creates or updates `<owner>-export`. */
export async function writeExportSecret(
  client: KubeClient,
  owner: KubeObject,
  values: Readonly<Record<string, Json>>,
  signal?: AbortSignal,
): Promise<ObjectReference> {
  const { namespace = '', name, uid = '' } = owner.metadata
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${name}-export`,
      namespace,
      ownerReferences: [
        { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    type: 'Opaque',
    data: { [exportKey]: textToBase64(JSON.stringify(values)) },
  }
  const options = signal === undefined ? {} : { signal }
  const handle = client.of(resources.secrets)
  try {
    await handle.create(secret, options)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    // Safe without a version: the item owns every field that is set.
    const value = { metadata: { ownerReferences: secret.metadata.ownerReferences }, data: secret.data }
    await handle.patch(secret.metadata.name, { type: 'merge', value }, { namespace, ...options })
  }
  return { name: secret.metadata.name, namespace }
}
