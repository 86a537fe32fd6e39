/**
 * Fetches what the server serves: two requests with aggregated discovery, or one per group and version from older servers. A group whose
 * aggregated API server is down is left out, so that it does not fail the others.
 */
import type { Requester } from '../client/requester.ts'
import { ApiError } from '../errors.ts'
import type { Catalog, DiscoveredResource } from './catalog.ts'

interface AggregatedGroups {
  readonly kind: string
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions?: readonly {
      readonly version: string
      readonly resources?: readonly {
        readonly resource: string
        readonly responseKind?: { readonly kind: string }
        readonly scope: 'Namespaced' | 'Cluster'
        readonly singularResource?: string
        readonly verbs?: readonly string[]
        readonly shortNames?: readonly string[]
        readonly categories?: readonly string[]
        readonly subresources?: readonly { readonly subresource: string }[]
      }[]
    }[]
  }[]
}

interface LegacyVersions {
  readonly versions?: readonly string[]
}

interface LegacyGroups {
  readonly groups?: readonly {
    readonly name: string
    readonly versions: readonly { readonly version: string }[]
    readonly preferredVersion?: { readonly version: string }
  }[]
}

interface LegacyResources {
  readonly resources?: readonly {
    readonly name: string
    readonly singularName?: string
    readonly namespaced: boolean
    readonly kind: string
    readonly verbs?: readonly string[]
    readonly shortNames?: readonly string[]
    readonly categories?: readonly string[]
  }[]
}

const accept = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',')

/** Each version of a group costs a request; clusters with many definitions have hundreds. */
const maxVersions = 2_000

export async function fetchCatalog(requester: Requester): Promise<Catalog> {
  const [core, groups] = await Promise.all([
    requester.json<AggregatedGroups | LegacyVersions>({ method: 'GET', target: '/api', accept }),
    requester.json<AggregatedGroups | LegacyGroups>({ method: 'GET', target: '/apis', accept }),
  ])
  const parts = await Promise.all([
    isAggregated(core) ? aggregated(core) : legacyCore(requester, core),
    isAggregated(groups) ? aggregated(groups) : legacyGroups(requester, groups),
  ])
  return parts.flat()
}

function isAggregated(document: AggregatedGroups | LegacyVersions | LegacyGroups): document is AggregatedGroups {
  return 'kind' in document && document.kind === 'APIGroupDiscoveryList'
}

function aggregated(groups: AggregatedGroups): Catalog {
  return (groups.items ?? []).flatMap((group) =>
    (group.versions ?? []).flatMap(({ version, resources = [] }) =>
      resources.map(
        (one): DiscoveredResource => ({
          group: group.metadata?.name ?? '',
          version,
          resource: one.resource,
          kind: one.responseKind?.kind ?? '',
          namespaced: one.scope === 'Namespaced',
          singular: one.singularResource ?? '',
          shortNames: one.shortNames ?? [],
          categories: one.categories ?? [],
          verbs: one.verbs ?? [],
          subresources: (one.subresources ?? []).map((sub) => sub.subresource),
        }),
      ),
    ),
  )
}

async function legacyCore(requester: Requester, { versions = [] }: LegacyVersions): Promise<Catalog> {
  const served = versions.slice(0, maxVersions)
  return (await Promise.all(served.map((version) => legacyVersion(requester, '', version)))).flat()
}

async function legacyGroups(requester: Requester, { groups = [] }: LegacyGroups): Promise<Catalog> {
  const wanted = groups.flatMap(({ name, versions, preferredVersion }) => {
    const all = versions.map(({ version }) => version)
    const preferred = preferredVersion?.version
    return [...all.filter((one) => one === preferred), ...all.filter((one) => one !== preferred)].map(
      (version) => [name, version] as const,
    )
  })
  const versions = wanted.slice(0, maxVersions)
  return (await Promise.all(versions.map(([name, version]) => legacyVersion(requester, name, version)))).flat()
}

async function legacyVersion(requester: Requester, group: string, version: string): Promise<Catalog> {
  const target = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const { resources = [] } = await requester.json<LegacyResources>({ method: 'GET', target }).catch(leaveOut)
  const subresources = resources.filter(({ name }) => name.includes('/')).map(({ name }) => name)
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((one) => ({
      group,
      version,
      resource: one.name,
      kind: one.kind,
      namespaced: one.namespaced,
      singular: one.singularName ?? '',
      shortNames: one.shortNames ?? [],
      categories: one.categories ?? [],
      verbs: one.verbs ?? [],
      subresources: subresources
        .filter((name) => name.startsWith(`${one.name}/`))
        .map((name) => name.slice(one.name.length + 1)),
    }))
}

function leaveOut(error: unknown): LegacyResources {
  if (error instanceof ApiError && (error.httpStatus === 404 || error.httpStatus >= 500)) return {}
  throw error
}
