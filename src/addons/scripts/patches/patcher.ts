/**
 * Applies the object operations of hooks in order. A failed operation does not stop the others; an update with a conflict is repeated on
 * the current object.
 */
import { JqError } from '../../../jq/index.ts'
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ResourceClient,
} from '../../../kube/index.ts'
import { equal } from '../../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject, type Runtime } from '../../../runtime/index.ts'
import { filterFailure, isSecret } from '../secret-errors.ts'
import type { CreateOperation, DeleteOperation, ObjectOperation, ObjectTarget, PatchOperation } from './operation.ts'
import { waitUntilDeleted } from './wait-deleted.ts'

/** How long to wait for a foreground deletion. */
const deleteTimeoutMs = 20_000

/** So many conflicts in a row mean that another writer keeps changing the object. */
const maxConflicts = 20

const propagation = { Delete: 'Foreground', DeleteInBackground: 'Background', DeleteNonCascading: 'Orphan' } as const

export class ObjectPatcher {
  readonly #client: KubeClient
  readonly #runtime: Runtime

  constructor(client: KubeClient, runtime: Runtime) {
    this.#client = client
    this.#runtime = runtime
  }

  /** Returns an error for each failed operation, with the object's name and the server's message. */
  async apply(operations: readonly ObjectOperation[], signal: AbortSignal): Promise<readonly string[]> {
    const errors: string[] = []
    for (const [index, operation] of operations.entries()) {
      signal.throwIfAborted()
      try {
        await this.#perform(operation, signal)
      } catch (error) {
        signal.throwIfAborted()
        errors.push(`KUBERNETES_PATCH_PATH[${index}]: ${describe(operation)}: ${messageOf(error, operation)}`)
      }
    }
    return errors
  }

  #perform(operation: ObjectOperation, signal: AbortSignal): Promise<unknown> {
    switch (operation.operation) {
      case 'Create':
      case 'CreateIfNotExists':
      case 'CreateOrUpdate':
        return this.#create(operation)
      case 'Delete':
      case 'DeleteInBackground':
      case 'DeleteNonCascading':
        return this.#delete(operation, signal)
      case 'JQPatch':
      case 'MergePatch':
      case 'JSONPatch':
        return this.#patch(operation)
    }
  }

  async #create({ operation, object, subresource }: CreateOperation): Promise<void> {
    const client = await this.#find({ apiVersion: object.apiVersion, kind: object.kind })
    // A new object must not have a resourceVersion, and an update uses the current one.
    const { resourceVersion: _, ...metadata } = object.metadata
    const desired = { ...object, metadata }
    try {
      await client.create(desired, options(subresource))
    } catch (error) {
      if (!isAlreadyExists(error) || operation === 'Create') throw error
      if (operation === 'CreateOrUpdate') await this.#replace(client, desired, subresource)
    }
  }

  #replace(client: ResourceClient, desired: KubeObject, subresource: string | undefined): Promise<void> {
    const { name, namespace } = desired.metadata
    return retryOnConflict(async () => {
      const { resourceVersion = '' } = (await client.get(name, namespace === undefined ? {} : { namespace })).metadata
      const metadata = { ...desired.metadata, resourceVersion }
      await client.update({ ...desired, metadata }, options(subresource))
    })
  }

  async #delete(operation: DeleteOperation, signal: AbortSignal): Promise<void> {
    const client = await this.#find(operation)
    const at = placeOf(operation, client)
    const propagationPolicy = propagation[operation.operation]
    try {
      const uid = operation.operation === 'Delete' ? (await client.get(operation.name, at)).metadata.uid : undefined
      await client.delete(operation.name, { ...at, propagationPolicy })
      if (uid === undefined) return
      const isGone = await waitUntilDeleted(
        client,
        this.#runtime,
        { name: operation.name, ...at, uid },
        { timeoutMs: deleteTimeoutMs, signal },
      )
      if (!isGone) throw new Error(await this.#whyNotDeleted(client, operation.name, at))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  async #whyNotDeleted(client: ResourceClient, name: string, at: { readonly namespace?: string }): Promise<string> {
    const { finalizers = [] } = (await client.get(name, at)).metadata
    const why = finalizers.length === 0 ? '' : `; it has finalizers ${finalizers.join(', ')}`
    return `still exists after ${deleteTimeoutMs / 1000} s${why}`
  }

  async #patch(operation: PatchOperation): Promise<void> {
    const client = await this.#find(operation)
    const { name, subresource } = operation
    const at = { ...placeOf(operation, client), ...options(subresource) }
    try {
      await retryOnConflict(async () => {
        // Patches are safe without a version: the hook asks for exactly these fields, whatever else changed.
        if (operation.operation === 'MergePatch')
          await client.patch(name, { type: 'merge', value: operation.mergePatch }, at)
        else if (operation.operation === 'JSONPatch')
          await client.patch(name, { type: 'json', operations: operation.jsonPatch }, at)
        else {
          const object = (await client.get(name, at)) as unknown as JsonObject
          const changed = operation.jqFilter.first(object)
          if (!isObject(changed)) throw new Error('the result of the filter is not an object')
          if (!equal(object, changed)) await client.update(changed as unknown as KubeObject, options(subresource))
        }
      })
    } catch (error) {
      if (!(operation.ignoreMissingObject && isNotFound(error))) throw error
    }
  }

  async #find({ apiVersion, kind }: Pick<ObjectTarget, 'apiVersion' | 'kind'>): Promise<ResourceClient> {
    const [version = '', group = ''] = (apiVersion ?? '').split('/').reverse()
    const name = apiVersion === undefined ? kind : `${kind}.${version}.${group}`
    return this.#client.of(await this.#client.discovery.resolve(name))
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return isJsonObject(value)
}

function options(subresource: string | undefined): { readonly subresource?: string } {
  return subresource === undefined ? {} : { subresource }
}

/** As in kubectl, the namespace is ignored for cluster-scoped kinds. */
function placeOf({ namespace }: ObjectTarget, { type }: ResourceClient): { readonly namespace?: string } {
  return namespace === undefined || !type.namespaced ? {} : { namespace }
}

async function retryOnConflict(write: () => Promise<void>): Promise<void> {
  for (let conflicts = 0; ; conflicts++) {
    try {
      return await write()
    } catch (error) {
      if (!isConflict(error) || conflicts === maxConflicts) throw error
    }
  }
}

function messageOf(error: unknown, operation: ObjectOperation): string {
  const { kind } = targetOf(operation)
  if (error instanceof ApiError && isSecret(kind))
    return `refused by the server: ${error.status.reason ?? error.httpStatus}`
  if (error instanceof JqError) return `the filter failed: ${filterFailure(kind, error)}`
  return error instanceof Error ? error.message : String(error)
}

function targetOf(operation: ObjectOperation): {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
} {
  return 'object' in operation ? { ...operation.object.metadata, kind: operation.object.kind } : operation
}

function describe(operation: ObjectOperation): string {
  const { kind, name, namespace } = targetOf(operation)
  return `${operation.operation} ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}
