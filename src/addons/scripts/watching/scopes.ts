/** The scopes of a binding: one per namespace and name. Namespaces selected by labels change over time. */

import type { ResourceType } from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import type { KubernetesBinding } from '../config/types.ts'
import type { Scope, Watches } from './watches.ts'

export interface Scopes {
  /** Resolves when the first scopes are known, or cannot be read at the moment. */
  readonly settled: Promise<void>
  close(): void
}

/** Calls `enter` for each namespace with scopes to watch, and `leave` when it is no longer selected. */
export function followScopes(
  binding: KubernetesBinding,
  type: ResourceType,
  watches: Watches,
  listener: {
    enter(namespace: string, scopes: readonly Scope[]): void
    leave(namespace: string): void
    listed(): void
  },
): Scopes {
  const { namespaces } = binding
  const enter = (namespace: string) => listener.enter(namespace, scopesIn(binding, type, namespace))
  if (!type.namespaced || namespaces.of === 'all') {
    enter('')
    listener.listed()
    return { settled: Promise.resolve(), close() {} }
  }
  if (namespaces.of === 'names') {
    for (const name of new Set(namespaces.names)) enter(name)
    listener.listed()
    return { settled: Promise.resolve(), close() {} }
  }
  const watch = watches.open(
    { type: resources.namespaces, labelSelector: namespaces.selector },
    { isWhole: false, needsResult: false },
  )
  const { cache } = watch
  let isClosed = false
  let unsubscribe = () => {}
  void cache.synced.then(() => {
    if (isClosed) return
    unsubscribe = cache.subscribe((change) => {
      if (change.type === 'added') enter(change.key)
      if (change.type === 'deleted') listener.leave(change.key)
    })
    for (const name of cache.keys()) enter(name)
    listener.listed()
  })
  const close = () => {
    isClosed = true
    unsubscribe()
    watch.close()
  }
  return { settled: watch.settled, close }
}

/** The scopes in one namespace; an empty name means all namespaces. */
export function scopesIn(
  { names, ...binding }: KubernetesBinding,
  type: ResourceType,
  namespace: string,
): readonly Scope[] {
  const labels = binding.labelSelector === undefined ? {} : { labelSelector: binding.labelSelector }
  const where = { type, ...(namespace === '' ? {} : { namespace }), ...labels }
  const fields = binding.fieldSelector === undefined ? [] : [binding.fieldSelector]
  const selectors = names?.map((name) => [`metadata.name=${name}`, ...fields]) ?? [fields]
  return selectors.map((parts) => (parts.length === 0 ? where : { ...where, fieldSelector: parts.join(',') }))
}
