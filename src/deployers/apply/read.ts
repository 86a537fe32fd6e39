/** Reads an object by reference; an object, a namespace or a kind that is not there is simply absent. */
import type { KubeClient } from '../../kube/client/client.ts'
import { isNotFound, ResourceNotServed } from '../../kube/errors.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { ResourceReference } from './managed.ts'

/** Where objects are read. */
export interface ReadPlace {
  readonly client: KubeClient
  /** The namespace of namespaced objects that name none. */
  readonly home: string
  readonly signal: AbortSignal
}

export async function readObject(
  { client, home, signal }: ReadPlace,
  { apiVersion, kind, name, namespace }: ResourceReference,
): Promise<KubeObject | undefined> {
  try {
    const handle = await client.find(apiVersion, kind)
    const at = handle.type.namespaced ? { namespace: namespace === '' ? home : namespace } : {}
    return await handle.get(name, { ...at, signal })
  } catch (error) {
    if (isNotFound(error) || error instanceof ResourceNotServed) return undefined
    throw error
  }
}
