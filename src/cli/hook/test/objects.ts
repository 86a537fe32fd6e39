/** Creates, changes and reads objects in the cluster of a test case. */
import {
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ResourceClient,
} from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import type { Clock, JsonObject } from '../../../runtime/index.ts'
import type { ObjectName } from './case.ts'

/** Kinds that can be used only after controllers have acted: a CRD is served, a namespace has its service account. */
const kindsWithSetup = ['CustomResourceDefinition', 'Namespace']

/** Virtual time for those controllers. */
const setupMs = 1000

export class CaseObjects {
  readonly #client: KubeClient
  readonly #clock: Clock

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client
    this.#clock = clock
  }

  /** Creates an object with its status, which needs a separate request, and its namespace if it is missing. */
  async create(object: JsonObject): Promise<void> {
    const handle = await this.#find(nameOf(object))
    const placed = place(object as unknown as KubeObject, handle)
    const { namespace } = placed.metadata
    if (namespace !== undefined) await this.#ensureNamespace(namespace)
    const { metadata } = await handle.create(placed)
    if (kindsWithSetup.includes(placed.kind)) await this.#clock.sleep(setupMs)
    const { status } = object
    if (status !== undefined)
      await handle.patch(
        metadata.name,
        { type: 'merge', value: { status } },
        { ...at(namespace), subresource: 'status' },
      )
  }

  /** Merges the change into the object. */
  async update(change: JsonObject): Promise<void> {
    const wanted = nameOf(change)
    const handle = await this.#find(wanted)
    const { namespace } = place(change as unknown as KubeObject, handle).metadata
    const { status, ...value } = change
    await handle.patch(wanted.name, { type: 'merge', value }, at(namespace))
    if (status !== undefined)
      await handle.patch(wanted.name, { type: 'merge', value: { status } }, { ...at(namespace), subresource: 'status' })
  }

  async delete(name: ObjectName): Promise<void> {
    const handle = await this.#find(name)
    await handle.delete(name.name, at(namespaceOf(name, handle)))
  }

  /** Undefined when it does not exist. */
  async get(name: ObjectName): Promise<JsonObject | undefined> {
    const handle = await this.#find(name)
    try {
      return (await handle.get(name.name, at(namespaceOf(name, handle)))) as unknown as JsonObject
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  async #find({ apiVersion, kind }: ObjectName): Promise<ResourceClient> {
    if (apiVersion !== undefined) return this.#client.find(apiVersion, kind)
    return this.#client.of(await this.#client.discovery.resolve(kind))
  }

  async #ensureNamespace(name: string): Promise<void> {
    try {
      await this.#client.of(resources.namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
      await this.#clock.sleep(setupMs)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }
}

/** The name of an object; the object was validated when the case was read. */
export function nameOf(object: JsonObject): ObjectName {
  const { apiVersion, kind, metadata } = object as unknown as KubeObject
  const { name, namespace } = metadata
  return { kind, name, ...(apiVersion === undefined ? {} : { apiVersion }), ...at(namespace) }
}

export function titleOf({ kind, name, namespace }: ObjectName): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

function place(object: KubeObject, { type }: ResourceClient): KubeObject {
  if (!type.namespaced || object.metadata.namespace !== undefined) return object
  return { ...object, metadata: { ...object.metadata, namespace: 'default' } }
}

function namespaceOf({ namespace = 'default' }: ObjectName, { type }: ResourceClient): string | undefined {
  return type.namespaced ? namespace : undefined
}

function at(namespace: string | undefined): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace }
}
