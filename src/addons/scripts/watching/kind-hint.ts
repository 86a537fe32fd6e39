/** What somebody probably meant whose kind is not there: another version of it, another spelling, or one that cannot be watched. */
import type { Catalog, DiscoveredResource } from '../../../kube/discovery/catalog.ts'
import { lookUp } from '../../../kube/discovery/lookup.ts'
import { suggest } from '../config/findings.ts'

export interface WantedKind {
  readonly apiVersion?: string
  readonly kind: string
}

export function kindHint(catalog: Catalog, { apiVersion, kind }: WantedKind): string | undefined {
  const named = catalog.filter((one) => lookUp([one], kind) !== undefined)
  const served = named.filter(isWatchable)
  if (served.length > 0) return `it is served as ${served.map(apiVersionOf).join(', ')}`
  if (named.length > 0) return 'it cannot be listed and watched'
  // Of a group that is still to come nothing is misspelt.
  const near = catalog.filter((one) => isWatchable(one) && (apiVersion ?? apiVersionOf(one)) === apiVersionOf(one))
  const meant = suggest(kind, new Set(near.map((one) => one.kind)))
  return meant === undefined ? undefined : `did you mean ${meant}?`
}

/** What can only be read or only be created is nothing to watch. */
export function isWatchable({ verbs }: DiscoveredResource): boolean {
  return verbs.includes('list') && verbs.includes('watch')
}

function apiVersionOf({ group, version }: DiscoveredResource): string {
  return group === '' ? version : `${group}/${version}`
}
