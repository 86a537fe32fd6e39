/**
 * ResourceQuota admission: refuses objects that exceed a quota and updates the status of quotas. Usage is always
 * counted from storage, so it cannot drift. Quotas with scopes are stored but not enforced.
 */
import { isJsonObject, type JsonObject } from '../../../runtime/index.ts'
import type { Attributes } from '../admission/admission.ts'
import type { Plugin } from '../admission/chain.ts'
import { type ApiObject, at, withField } from '../object.ts'
import type { Registry } from '../registry.ts'
import { forbidden } from '../status/status-error.ts'
import type { Collection } from '../storage/collection.ts'
import type { Store } from '../storage/store.ts'
import { compareQuantities } from '../types/quantity.ts'
import { sum, type Usage, unspecified, usageOf } from './usage.ts'

const quotaKind = { group: '', resource: 'resourcequotas' }
const compute = /^(requests\.|limits\.)?(cpu|memory)$/

export class Quotas implements Plugin {
  readonly #store: Store
  readonly #registry: Registry
  readonly #quotas: Collection
  readonly #followed = new Set<Collection>()

  constructor(store: Store, registry: Registry) {
    this.#store = store
    this.#registry = registry
    this.#quotas = store.collection(quotaKind)
    this.#quotas.follow(({ key, current, previous }) => {
      if (current !== undefined && hardOf(current.object) !== hardOf(previous?.object))
        this.#refresh(key, current.object)
    })
  }

  validate({ operation, resource, subresource, object, namespace, name }: Attributes): void {
    if (this.#quotas.size === 0 || operation !== 'CREATE' || object === undefined || subresource !== undefined) return
    // Kinds with only the verb `create` are reviews; they are not stored.
    if (!resource.namespaced || resource.verbs.length === 1) return
    const usage = usageOf(resource, object)
    for (const [, { object: quota }] of this.#quotas.range(`${namespace}/`)) {
      if (isScoped(quota)) continue
      const limited = Object.entries(hardLimitsOf(quota))
      const missing =
        resource.resource === 'pods'
          ? unspecifiedIn(
              object,
              limited.map(([key]) => key),
            )
          : ''
      if (missing !== '')
        throw forbidden(resource, name, `failed quota: ${quota.metadata.name}: must specify ${missing}`)
      const used = this.#used(quota)
      const exceeded = limited.filter(
        ([key, hard]) =>
          usage.has(key) && compareQuantities(sum(used.get(key) ?? '0', usage.get(key) ?? '0'), hard) > 0,
      )
      if (exceeded.length === 0) continue
      const list = (value: (key: string, hard: string) => string): string =>
        exceeded.map(([key, hard]) => `${key}=${value(key, hard)}`).join(',')
      const requested = list((key) => usage.get(key) ?? '0')
      throw forbidden(
        resource,
        name,
        `exceeded quota: ${quota.metadata.name}, requested: ${requested}, used: ${list((key) => used.get(key) ?? '0')}, limited: ${list((_key, hard) => hard)}`,
      )
    }
  }

  /** The usage of the resources a quota limits, in its namespace. */
  #used(quota: ApiObject): Usage {
    const wanted = Object.keys(hardLimitsOf(quota))
    const used = new Map(wanted.map((key) => [key, '0']))
    const prefix = `${quota.metadata.namespace ?? ''}/`
    for (const kind of this.#limitedKinds(wanted)) {
      const collection = this.#store.collection(kind)
      this.#follow(collection)
      for (const [, { object }] of collection.range(prefix)) {
        for (const [key, quantity] of usageOf(kind, object)) {
          const before = used.get(key)
          if (before !== undefined) used.set(key, sum(before, quantity))
        }
      }
    }
    return used
  }

  #limitedKinds(keys: readonly string[]): readonly { readonly group: string; readonly resource: string }[] {
    const kinds = new Map<string, { readonly group: string; readonly resource: string }>()
    for (const { storage, namespaced } of this.#registry.all()) {
      if (!namespaced) continue
      const name = storage.group === '' ? storage.resource : `${storage.resource}.${storage.group}`
      const limited = keys.some(
        (key) =>
          key === `count/${name}` ||
          key.split('.')[0] === name ||
          (name === 'pods' && compute.test(key)) ||
          (name === 'persistentvolumeclaims' && key === 'requests.storage'),
      )
      if (limited) kinds.set(name, storage)
    }
    return [...kinds.values()]
  }

  /** Updates the status of quotas when objects they count are created or deleted. */
  #follow(collection: Collection): void {
    if (this.#followed.has(collection) || collection === this.#quotas) return
    this.#followed.add(collection)
    collection.follow(({ key }) => {
      if (this.#quotas.size === 0) return
      const [namespace = ''] = key.split('/')
      for (const [quotaKey, { object }] of [...this.#quotas.range(`${namespace}/`)]) this.#refresh(quotaKey, object)
    })
  }

  #refresh(key: string, quota: ApiObject): void {
    const used = Object.fromEntries(this.#used(quota))
    this.#quotas.put(key, withField(quota, 'status', { hard: hardLimitsOf(quota), used }))
  }
}

function hardLimitsOf(quota: ApiObject): Readonly<Record<string, string>> {
  const hard = at(quota, 'spec', 'hard')
  return isJsonObject(hard) ? (hard as JsonObject as Readonly<Record<string, string>>) : {}
}

function hardOf(quota: ApiObject | undefined): string {
  return JSON.stringify(quota === undefined ? undefined : at(quota, 'spec', 'hard'))
}

function isScoped(quota: ApiObject): boolean {
  const scopes = at(quota, 'spec', 'scopes')
  return (Array.isArray(scopes) && scopes.length > 0) || at(quota, 'spec', 'scopeSelector') !== undefined
}

/** `requests.cpu for: a,b; requests.memory for: a`, or empty. */
function unspecifiedIn(pod: ApiObject, keys: readonly string[]): string {
  return keys
    .filter((key) => compute.test(key))
    .map((key) => ({ key, names: unspecified(pod, key) }))
    .filter(({ names }) => names.length > 0)
    .map(({ key, names }) => `${key} for: ${names.join(',')}`)
    .toSorted()
    .join('; ')
}
