/** Maps a change of a dependent to the keys of its owners: its controller, its previous controller, or all possible adopters. */
import type { Cache, KubeObject, LabelSelector } from '../../../kube/index.ts'
import { semanticallyEqual } from '../../kinds/canonical.ts'
import { isEmptySelector, selects } from '../../kinds/selector.ts'
import { controllerOf } from '../claims/controller-refs.ts'
import { indexNames } from './informers.ts'

export interface Route<T extends KubeObject> {
  readonly dependents: Cache<T>
  /** Kind of the owners in controller references. */
  readonly ownerKind: string
  readonly owners: Cache<KubeObject & { spec: { readonly selector?: LabelSelector } }>
  readonly enqueue: (key: string) => void
  readonly created?: (ownerKey: string, dependent: T) => void
  readonly deleted?: (ownerKey: string, dependent: T) => void
}

export function routeToOwners<T extends KubeObject>(route: Route<T>): void {
  const { dependents, owners, enqueue } = route
  const ownerKey = (object: T): string | undefined => {
    const reference = controllerOf(object)
    return reference?.kind === route.ownerKind ? `${object.metadata.namespace}/${reference.name}` : undefined
  }
  const adopters = (object: T): void => {
    for (const owner of owners.by(indexNames.namespace, object.metadata.namespace ?? '')) {
      const { selector } = owner.spec
      if (selector === undefined || isEmptySelector(selector) || !selects(selector, object.metadata.labels)) continue
      enqueue(`${owner.metadata.namespace}/${owner.metadata.name}`)
    }
  }
  dependents.subscribe((change) => {
    if (change.type === 'deleted') {
      const key = ownerKey(change.previous)
      if (key === undefined) return
      route.deleted?.(key, change.previous)
      enqueue(key)
      return
    }
    const object = change.value
    const key = ownerKey(object)
    const deleting = object.metadata.deletionTimestamp !== undefined
    if (change.type === 'updated') {
      const previousKey = ownerKey(change.previous)
      if (previousKey !== undefined && previousKey !== key) enqueue(previousKey)
    }
    if (key !== undefined) {
      if (change.type === 'added') route.created?.(key, object)
      if (deleting) route.deleted?.(key, object)
      enqueue(key)
    } else if (controllerOf(object) === undefined && !deleting && affectsAdoption(change)) {
      adopters(object)
    }
  })
}

function affectsAdoption<T extends KubeObject>(
  change: { readonly type: 'added' } | { readonly type: 'updated'; readonly value: T; readonly previous: T },
): boolean {
  if (change.type === 'added') return true
  const { value, previous } = change
  return (
    controllerOf(previous) !== undefined ||
    !semanticallyEqual(previous.metadata.labels ?? {}, value.metadata.labels ?? {})
  )
}
