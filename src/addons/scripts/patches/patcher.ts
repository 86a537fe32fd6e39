/**
 * Does with objects of the cluster what hooks ask for, in order. What cannot be done is gathered and does not keep the rest from being done;
 * a write that another writer overtook is made again on what is there now.
 */
import { JqError } from '../../../jq/index.ts'
import type { KubeClient, ResourceClient } from '../../../kube/client/client.ts'
import { ApiError, isAlreadyExists, isConflict, isNotFound } from '../../../kube/errors.ts'
import type { KubeObject } from '../../../kube/object.ts'
import { equal } from '../../../patch/equal.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/json.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { filterFailure, isSecret } from '../secrecy.ts'
import { untilGone } from './gone.ts'
import type { CreateOperation, DeleteOperation, ObjectOperation, ObjectTarget, PatchOperation } from './operation.ts'

/** Milliseconds that a deletion in the foreground may take. */
const patience = 20_000

/** Each is another writer's success, so that this many in a row mean a fight rather than bad luck. */
const mostConflicts = 20

const propagation = { Delete: 'Foreground', DeleteInBackground: 'Background', DeleteNonCascading: 'Orphan' } as const

export class ObjectPatcher {
  readonly #client: KubeClient
  readonly #runtime: Runtime

  constructor(client: KubeClient, runtime: Runtime) {
    this.#client = client
    this.#runtime = runtime
  }

  /** Returns what could not be done, each with the object's name and the server's words. */
  async apply(operations: readonly ObjectOperation[], signal: AbortSignal): Promise<readonly string[]> {
    const errors: string[] = []
    for (const [index, operation] of operations.entries()) {
      signal.throwIfAborted()
      try {
        await this.#perform(operation, signal)
      } catch (error) {
        signal.throwIfAborted()
        errors.push(`KUBERNETES_PATCH_PATH[${index}]: ${describe(operation)}: ${wordsOf(error, operation)}`)
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
    // A version makes no sense for an object that shall be created, and is copied anew for one that shall be updated.
    const { resourceVersion: _, ...metadata } = object.metadata
    const wanted = { ...object, metadata }
    try {
      await client.create(wanted, options(subresource))
    } catch (error) {
      if (!isAlreadyExists(error) || operation === 'Create') throw error
      if (operation === 'CreateOrUpdate') await this.#replace(client, wanted, subresource)
    }
  }

  #replace(client: ResourceClient, wanted: KubeObject, subresource: string | undefined): Promise<void> {
    const { name, namespace } = wanted.metadata
    return againOnConflict(async () => {
      const { resourceVersion = '' } = (await client.get(name, namespace === undefined ? {} : { namespace })).metadata
      const metadata = { ...wanted.metadata, resourceVersion }
      await client.update({ ...wanted, metadata }, options(subresource))
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
      const isGone = await untilGone(client, this.#runtime, { name: operation.name, ...at, uid }, patience, signal)
      if (!isGone) throw new Error(await this.#whyStillThere(client, operation.name, at))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  async #whyStillThere(client: ResourceClient, name: string, at: { readonly namespace?: string }): Promise<string> {
    const { finalizers = [] } = (await client.get(name, at)).metadata
    const why = finalizers.length === 0 ? '' : `; it waits for its finalizers ${finalizers.join(', ')}`
    return `is still there after ${patience / 1000} s${why}`
  }

  async #patch(operation: PatchOperation): Promise<void> {
    const client = await this.#find(operation)
    const { name, subresource } = operation
    const at = { ...placeOf(operation, client), ...options(subresource) }
    try {
      await againOnConflict(async () => {
        if (operation.operation === 'MergePatch')
          await client.patch(name, { type: 'merge', value: operation.mergePatch }, at)
        else if (operation.operation === 'JSONPatch')
          await client.patch(name, { type: 'json', operations: operation.jsonPatch }, at)
        else {
          const object = (await client.get(name, at)) as unknown as JsonObject
          const changed = operation.jqFilter.first(object)
          if (!isObject(changed)) throw new Error('the filter gives something that is not an object')
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

/** A namespace given for a kind that has none is passed over, as kubectl does. */
function placeOf({ namespace }: ObjectTarget, { type }: ResourceClient): { readonly namespace?: string } {
  return namespace === undefined || !type.namespaced ? {} : { namespace }
}

async function againOnConflict(write: () => Promise<void>): Promise<void> {
  for (let conflicts = 0; ; conflicts++) {
    try {
      return await write()
    } catch (error) {
      if (!isConflict(error) || conflicts === mostConflicts) throw error
    }
  }
}

function wordsOf(error: unknown, operation: ObjectOperation): string {
  const { kind } = targetOf(operation)
  if (error instanceof ApiError && isSecret(kind))
    return `the server refuses it: ${error.status.reason ?? error.httpStatus}`
  if (error instanceof JqError) return `the filter fails: ${filterFailure(kind, error)}`
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
