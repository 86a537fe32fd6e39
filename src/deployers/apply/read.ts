/** Reads objects on a target: one by reference, or all that a list has. */
import {
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ResourceClient,
  ResourceNotServed,
} from '../../kube/index.ts'
import { LandscaperError } from '../library/errors.ts'
import type { ResourceReference } from './managed.ts'

export interface ReadScope {
  readonly client: KubeClient
  /** The namespace of namespaced objects that have none. */
  readonly defaultNamespace: string
  readonly signal: AbortSignal
}

/** Undefined when the object, its namespace or its kind does not exist. */
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

/** The responses of targets are limited in bytes, and a hundred objects fit into one. */
const objectsPerPage = 100
/** 50,000 objects. A server can promise a further page without end. */
const maxPages = 500

export async function* listObjects(
  handle: ResourceClient,
  options: NonNullable<Parameters<ResourceClient['pages']>[0]>,
): AsyncGenerator<KubeObject, void> {
  let pages = 0
  for await (const { items } of handle.pages({ ...options, limit: objectsPerPage })) {
    yield* items
    pages += 1
    if (pages === maxPages)
      throw new LandscaperError(
        'ListObjects',
        'TooManyObjects',
        `the target lists ${maxPages * objectsPerPage} ${handle.type.resource} or more, or its lists do not end.`,
      )
  }
}
