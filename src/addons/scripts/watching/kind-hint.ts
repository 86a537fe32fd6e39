/** A hint for a kind that is not served: another version, a similar name, or a kind that cannot be watched. */
import { type Catalog, type DiscoveredResource, lookUp } from '../../../kube/index.ts'
import { suggest } from '../config/findings.ts'

export interface RequestedKind {
  readonly apiVersion?: string
  readonly kind: string
}

export function kindHint(catalog: Catalog, { apiVersion, kind }: RequestedKind): string | undefined {
  const named = catalog.filter((one) => lookUp([one], kind) !== undefined)
  const served = named.filter(isWatchable)
  if (served.length > 0) return `it is served as ${served.map(apiVersionOf).join(', ')}`
  if (named.length > 0) return 'it cannot be listed and watched'
  // Suggest only kinds of the same API version: a group that is not served yet is not a typo.
  const near = catalog.filter((one) => isWatchable(one) && (apiVersion ?? apiVersionOf(one)) === apiVersionOf(one))
  const suggestion = suggest(kind, new Set(near.map((one) => one.kind)))
  return suggestion === undefined ? undefined : `did you mean ${suggestion}?`
}

/** Some resources support only get or only create. */
export function isWatchable({ verbs }: DiscoveredResource): boolean {
  return verbs.includes('list') && verbs.includes('watch')
}

function apiVersionOf({ group, version }: DiscoveredResource): string {
  return group === '' ? version : `${group}/${version}`
}
