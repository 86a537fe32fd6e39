/** The dependency graph of all kinds: objects by uid and their dependents. Contains metadata only. */
import type { KubeObject, ObjectMeta, OwnerReference, ResourceType } from '../../../kube/index.ts'

export interface Item {
  readonly type: ResourceType
  readonly uid: string
  readonly name: string
  readonly namespace: string | undefined
  readonly version: string
  readonly owners: readonly OwnerReference[]
  readonly finalizers: readonly string[]
  readonly deleting: boolean
}

export const foregroundFinalizer = 'foregroundDeletion'
export const orphanFinalizer = 'orphan'

export function itemOf(type: ResourceType, { metadata }: { readonly metadata: ObjectMeta }): Item {
  return {
    type,
    uid: metadata.uid ?? '',
    name: metadata.name,
    namespace: metadata.namespace,
    version: metadata.resourceVersion ?? '',
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    deleting: metadata.deletionTimestamp !== undefined,
  }
}

/** The projection of objects that only the garbage collector caches. */
export function metadataOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, ownerReferences, finalizers, deletionTimestamp } = metadata
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  }
}

export function isDeletingDependents(item: Item): boolean {
  return item.deleting && item.finalizers.includes(foregroundFinalizer)
}

export class Graph {
  readonly #items = new Map<string, Item>()
  readonly #dependents = new Map<string, Set<string>>()

  get(uid: string): Item | undefined {
    return this.#items.get(uid)
  }

  put(item: Item): void {
    this.#unlink(this.#items.get(item.uid))
    this.#items.set(item.uid, item)
    for (const { uid } of item.owners) {
      const set = this.#dependents.get(uid) ?? new Set()
      set.add(item.uid)
      this.#dependents.set(uid, set)
    }
  }

  remove(uid: string): void {
    this.#unlink(this.#items.get(uid))
    this.#items.delete(uid)
  }

  dependentsOf(uid: string): readonly Item[] {
    const uids = this.#dependents.get(uid) ?? []
    return Array.from(uids, (dependent) => this.#items.get(dependent)).filter((item) => item !== undefined)
  }

  #unlink(item: Item | undefined): void {
    for (const { uid } of item?.owners ?? []) {
      const set = this.#dependents.get(uid)
      set?.delete(item?.uid ?? '')
      if (set?.size === 0) this.#dependents.delete(uid)
    }
  }
}
