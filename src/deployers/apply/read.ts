/** Reads an object by reference; undefined when the object, its namespace or its kind does not exist. */
import { isNotFound, type KubeClient, type KubeObject, ResourceNotServed } from '../../kube/index.ts'
import type { ResourceReference } from './managed.ts'

export interface ReadScope {
  readonly client: KubeClient
  /** The namespace of namespaced objects that have none. */
  readonly defaultNamespace: string
  readonly signal: AbortSignal
}

export async function readObject(
  { client, defaultNamespace, signal }: ReadScope,
  { apiVersion, kind, name, namespace }: ResourceReference,
): Promise<KubeObject | undefined> {
  try {
    const handle = await client.find(apiVersion, kind)
    const at = handle.type.namespaced ? { namespace: namespace === '' ? defaultNamespace : namespace } : {}
    return await handle.get(name, { ...at, signal })
  } catch (error) {
    if (isNotFound(error) || error instanceof ResourceNotServed) return undefined
    throw error
  }
}
