/** The storage group and version of a built-in kind: its own, except for kinds with several served forms. */
import type { StorageKey } from '../resource.ts'
import type { ResourceFacts } from './model.ts'

export function storageOf({ group, version, kind }: Pick<ResourceFacts, 'group' | 'version' | 'kind'>): {
  readonly group: string
  readonly version: string
  readonly kind: string
} {
  if (group === 'events.k8s.io') return { group: '', version: 'v1', kind }
  if (group === 'autoscaling') return { group, version: 'v2', kind }
  return { group, version, kind }
}

export function storageKeyOf(facts: ResourceFacts): StorageKey {
  const { group, version, kind } = storageOf(facts)
  return { group, resource: facts.resource, apiVersion: group === '' ? version : `${group}/${version}`, kind }
}
