/** Aggregated discovery: all groups in one document, for clients that request it in the Accept header. */
import type { JsonObject } from '../../../runtime/index.ts'
import { clausesOf } from '../negotiation/accept.ts'
import type { ServedResource, Subresource } from '../resource.ts'
import type { GroupVersions } from './groups.ts'

export type AggregatedVersion = 'v2' | 'v2beta1'

/** The version of the aggregated document the client prefers; undefined when it prefers the classic documents. */
export function aggregatedVersionOf(accept: string | undefined): AggregatedVersion | undefined {
  for (const { type, parameters } of clausesOf(accept ?? '')) {
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue
    const { as, g: group, v: version } = parameters
    if (as === undefined) return undefined
    if (as !== 'APIGroupDiscoveryList' || group !== 'apidiscovery.k8s.io') continue
    if (version === 'v2' || version === 'v2beta1') return version
  }
  return undefined
}

export function aggregatedType(version: AggregatedVersion): string {
  return `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`
}

export function aggregated(groups: readonly GroupVersions[], version: AggregatedVersion): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((entry) => ({
        version: entry.version,
        resources: entry.resources.map(resourceEntry),
        freshness: 'Current',
      })),
    })),
  }
}

function resourceEntry(resource: ServedResource): JsonObject {
  const { shortNames, categories, subresources } = resource
  return {
    resource: resource.resource,
    responseKind: responseKind(resource, resource),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: [...resource.verbs].sort(),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : { subresources: subresources.map((entry) => subresourceEntry(resource, entry)) }),
  }
}

function subresourceEntry(resource: ServedResource, subresource: Subresource): JsonObject {
  const { name, verbs } = subresource
  return { subresource: name, responseKind: responseKind(resource, subresource), verbs: [...verbs].sort() }
}

/** For built-in kinds the real API server omits the group and version they are listed under. */
function responseKind(resource: ServedResource, { group, version, kind }: ServedResource | Subresource): JsonObject {
  const own = resource.itemsNameKind !== true && group === resource.group && version === resource.version
  return own ? { group: '', version: '', kind } : { group, version, kind }
}
