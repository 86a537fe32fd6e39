/** Writes the secret with the exports of an item. The item owns it, so garbage collection deletes it with the item. */
import { isAlreadyExists, type KubeClient, type KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { type Json, textToBase64 } from '../../runtime/index.ts'
import { exportKey } from '../resources/annotations.ts'
import type { ObjectReference } from '../resources/types.ts'
import { configurationProblem } from './errors.ts'

/** A Secret holds 1 MiB; a retry of larger exports cannot succeed. */
const maxExportBytes = 1024 ** 2 - exportKey.length

/** Counts at most as far as needed: values that several exports share can be much longer as text than in memory. */
function isLargerThan(values: Json, bytes: number): boolean {
  let left = bytes
  const waiting: Json[] = [values]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value !== null && typeof value === 'object') {
      const fields = Object.entries(value)
      // Brackets or braces, commas, and names with quotes and colons.
      left -= 2 + Math.max(0, fields.length - 1)
      for (const [field, below] of fields as [string, Json][]) {
        if (!Array.isArray(value)) left -= utf8Length(JSON.stringify(field)) + 1
        waiting.push(below)
      }
    } else left -= utf8Length(JSON.stringify(value))
    if (left < 0) return true
  }
  return false
}

function utf8Length(text: string): number {
  return encoder.encode(text).length
}

const encoder = new TextEncoder()

/** Creates or updates `<owner>-export`. */
export async function writeExportSecret(
  client: KubeClient,
  owner: KubeObject,
  values: Readonly<Record<string, Json>>,
  signal?: AbortSignal,
): Promise<ObjectReference> {
  const { namespace = '', name, uid = '' } = owner.metadata
  if (isLargerThan(values, maxExportBytes))
    throw configurationProblem(
      'WriteExports',
      'the exports are larger than 1 MiB, the limit of a Secret: export fewer values.',
    )
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
