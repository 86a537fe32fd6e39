/**
 * Watches CustomResourceDefinitions and serves their resources. A definition is served as soon as its names are
 * accepted, and its conditions report it. When a definition is deleted, its objects are deleted first.
 */
import type { Json, JsonObject, Runtime } from '../../../runtime/index.ts'
import type { ResolveService } from '../admission/webhooks/call.ts'
import { fieldManagement } from '../apply/field-management.ts'
import { objectAt } from '../defaults/fill.ts'
import { type ApiObject, withField, withMetadata } from '../object.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../resource.ts'
import type { Collection } from '../storage/collection.ts'
import type { Store } from '../storage/store.ts'
import { timestamp } from '../timestamp.ts'
import { isTrue, withCondition } from './conditions.ts'
import { cleanupFinalizer, type Definition, type Names, namesOf, readDefinition, storageOf } from './definition.ts'
import { deleteAllOf } from './delete-all.ts'
import { acceptNames } from './names.ts'
import { customResources } from './resources.ts'

const definitions = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }

export class CustomResources {
  readonly #runtime: Runtime
  readonly #resolveService: ResolveService | undefined
  readonly #store: Store
  readonly #registry: Registry
  readonly #collection: Collection
  readonly #served = new Map<string, { readonly spec: string; readonly resources: readonly ServedResource[] }>()
  readonly #terminating = new Set<string>()

  constructor(runtime: Runtime, store: Store, registry: Registry, resolveService?: ResolveService) {
    this.#runtime = runtime
    this.#resolveService = resolveService
    this.#store = store
    this.#registry = registry
    this.#collection = store.collection(definitions)
  }

  /** Starts watching definitions. */
  start(): void {
    this.#collection.follow(({ key, current }) => {
      if (current === undefined) this.#stopServing(key)
      else this.#reconcile(key, current.object)
    })
  }

  #reconcile(name: string, object: ApiObject): void {
    const definition = readDefinition(object)
    if (definition.isTerminating) {
      this.#serve(name, object, definition)
      this.#deleteObjects(name, definition)
      return
    }
    const { accepted, conflict } = acceptNames(definition.names, grantedNames(object), this.#othersOf(name, definition))
    const isEstablished = conflict === undefined || isTrue(object, 'Established')
    if (isEstablished) this.#serve(name, object, definition)
    const now = timestamp(this.#runtime.clock.now())
    this.#write(name, (current) => {
      const named = withField(current, 'status', {
        ...objectAt(current, 'status'),
        acceptedNames: writeNames(accepted),
      })
      const withNames = withCondition(
        named,
        conflict === undefined
          ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
          : { type: 'NamesAccepted', status: 'False', ...conflict },
        now,
      )
      if (isTrue(withNames, 'Established')) return withNames
      return withCondition(
        withNames,
        conflict === undefined
          ? {
              type: 'Established',
              status: 'True',
              reason: 'InitialNamesAccepted',
              message: 'the initial names have been accepted',
            }
          : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
        now,
      )
    })
  }

  /** The status is written in the next microtask, so that watchers see the change that caused it first. */
  #write(name: string, change: (current: ApiObject) => ApiObject): void {
    queueMicrotask(() => {
      const current = this.#collection.get(name)?.object
      if (current === undefined) return
      const next = change(current)
      if (next !== current) this.#collection.put(name, this.#owned(next, current))
    })
  }

  /** Status writes of the API server are tracked in managedFields like those of any client. */
  #owned(object: ApiObject, old: ApiObject): ApiObject {
    const resource = this.#registry.find(definitions.group, 'v1', definitions.resource)
    if (resource === undefined) return object
    const now = this.#runtime.clock.now()
    return fieldManagement.update({ resource, manager: 'kube-apiserver', subresource: 'status', now, object, old })
  }

  #othersOf(name: string, { group }: Definition): readonly Names[] {
    const others: Names[] = []
    for (const [key, { object }] of this.#collection.range('')) {
      if (key === name || objectAt(object, 'spec')['group'] !== group) continue
      const granted = grantedNames(object)
      if (granted !== undefined) others.push(granted)
    }
    return others
  }

  #serve(name: string, object: ApiObject, definition: Definition): void {
    const spec = JSON.stringify([object['spec'] ?? null, definition.storedVersions, definition.isTerminating])
    const before = this.#served.get(name)
    if (before?.spec === spec) return
    const resources = customResources(definition, { runtime: this.#runtime, resolveService: this.#resolveService })
    const isStill = (old: ServedResource): boolean =>
      resources.some(({ version, resource }) => version === old.version && resource === old.resource)
    for (const old of before?.resources ?? []) if (!isStill(old)) this.#registry.remove(old)
    for (const resource of resources) this.#registry.add(resource)
    this.#served.set(name, { spec, resources })
  }

  #stopServing(name: string): void {
    for (const resource of this.#served.get(name)?.resources ?? []) this.#registry.remove(resource)
    this.#served.delete(name)
    this.#terminating.delete(name)
    // Another definition may be waiting for the names that are now free.
    for (const [key, { object }] of this.#collection.range('')) {
      if (!isTrue(object, 'NamesAccepted')) this.#reconcile(key, object)
    }
  }

  #deleteObjects(name: string, definition: Definition): void {
    if (this.#terminating.has(name)) return
    this.#terminating.add(name)
    const now = timestamp(this.#runtime.clock.now())
    const setTerminating = (reason: string, message: string, status: 'True' | 'False'): void =>
      this.#write(name, (current) => withCondition(current, { type: 'Terminating', status, reason, message }, now))
    setTerminating('InstanceDeletionInProgress', 'CustomResource deletion is in progress', 'True')
    deleteAllOf(this.#store.collection(storageOf(definition)), now, () => {
      setTerminating('InstanceDeletionCompleted', 'removed all instances', 'False')
      queueMicrotask(() => this.#finish(name))
    })
  }

  #finish(name: string): void {
    const current = this.#collection.get(name)?.object
    if (current === undefined) return
    const finalizers = (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer)
    this.#collection.put(name, withMetadata(current, { finalizers: finalizers.length === 0 ? undefined : finalizers }))
    if (finalizers.length === 0) this.#collection.delete(name)
  }
}

function grantedNames(object: ApiObject): Names | undefined {
  const names = namesOf(objectAt(objectAt(object, 'status'), 'acceptedNames'))
  return names.plural === '' ? undefined : names
}

function writeNames(names: Names): JsonObject {
  const written: Record<string, Json> = { plural: names.plural }
  if (names.singular !== '') written['singular'] = names.singular
  if (names.shortNames.length > 0) written['shortNames'] = names.shortNames
  written['kind'] = names.kind
  if (names.listKind !== '') written['listKind'] = names.listKind
  if (names.categories.length > 0) written['categories'] = names.categories
  return written
}
