/** The secret that holds what an item exports, owned by the item so that it goes when the item goes. */
import type { KubeClient } from '../../kube/client/client.ts'
import { isAlreadyExists } from '../../kube/errors.ts'
import type { KubeObject } from '../../kube/object.ts'
import { resources } from '../../kube/types.ts'
import { textToBase64 } from '../../runtime/base64.ts'
import type { Json } from '../../runtime/json.ts'
import type { ObjectReference } from '../resources/types.ts'
import { exportKey } from '../resources/words.ts'

/** Writes `<owner>-export`; a second time it is brought up to date. */
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
    const value = { metadata: { ownerReferences: secret.metadata.ownerReferences }, data: secret.data }
    await handle.patch(secret.metadata.name, { type: 'merge', value }, { namespace, ...options })
  }
  return { name: secret.metadata.name, namespace }
}
