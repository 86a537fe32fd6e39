/**
 * Serves discovery: version, groups, resources and health. The documents are computed from the registry and rebuilt
 * when it changes.
 */
import { append, type HttpRequest, type HttpResponse, type JsonObject } from '../../../runtime/index.ts'
import { acceptedType } from '../negotiation/accept.ts'
import type { Registry } from '../registry.ts'
import { documentResponse } from '../rest/encode.ts'
import { aggregated, aggregatedType, aggregatedVersionOf } from './aggregated.ts'
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './documents.ts'
import { type GroupVersions, groupsOf } from './groups.ts'
import { health } from './health.ts'

export const version: JsonObject = {
  major: '1',
  minor: '35',
  emulationMajor: '1',
  emulationMinor: '35',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '34',
  gitVersion: 'v1.35.0',
  gitCommit: 'carabiner-sandbox',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'carabiner/sandbox',
}

export class Discovery {
  readonly #registry: Registry
  readonly #address: string
  #groups: readonly GroupVersions[] = []
  #generation = -1

  constructor(registry: Registry, address: string) {
    this.#registry = registry
    this.#address = address
  }

  /** The response for a non-resource path; undefined when the path is unknown. */
  respond(http: HttpRequest, path: string, query: URLSearchParams): HttpResponse | undefined {
    if (http.method !== 'GET' && http.method !== 'HEAD') return undefined
    const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
    return health(trimmed, query) ?? this.#aggregated(http, trimmed) ?? this.#classic(http, trimmed)
  }

  #aggregated(http: HttpRequest, path: string): HttpResponse | undefined {
    if (path !== '/api' && path !== '/apis') return undefined
    const wanted = aggregatedVersionOf(http.headers['accept'])
    if (wanted === undefined) return undefined
    const groups = this.#current().filter(({ group }) => (group === '') === (path === '/api'))
    const response = documentResponse(200, aggregated(groups, wanted), { format: 'json', as: undefined })
    const etag = `"${this.#generation}-${wanted}"`
    const headers = { ...response.headers, 'content-type': aggregatedType(wanted), vary: 'Accept', etag }
    if (http.headers['if-none-match'] === etag) return { status: 304, headers, body: new Uint8Array() }
    return { ...response, headers }
  }

  #classic(http: HttpRequest, path: string): HttpResponse | undefined {
    const document = this.#document(path)
    return document === undefined ? undefined : documentResponse(200, document, acceptedType(http.headers['accept']))
  }

  #document(path: string): JsonObject | undefined {
    const groups = this.#current()
    if (path === '/version') return version
    if (path === '/') return { paths: paths(groups) }
    if (path === '/api') return apiVersions(this.#address)
    if (path === '/apis') return apiGroupList(groups)
    const [prefix, name = '', groupVersion, more] = path.slice(1).split('/')
    if (more !== undefined) return undefined
    if (prefix === 'api') return resourceList(groups, '', name)
    if (prefix !== 'apis') return undefined
    const group = groups.find((candidate) => candidate.group === name && name !== '')
    if (group === undefined) return undefined
    return groupVersion === undefined ? apiGroup(group) : resourceList(groups, name, groupVersion)
  }

  #current(): readonly GroupVersions[] {
    if (this.#generation !== this.#registry.generation) {
      this.#groups = groupsOf(this.#registry)
      this.#generation = this.#registry.generation
    }
    return this.#groups
  }
}

function resourceList(groups: readonly GroupVersions[], group: string, version: string): JsonObject | undefined {
  const found = groups.find((candidate) => candidate.group === group)?.versions.find((one) => one.version === version)
  return found === undefined ? undefined : apiResourceList(group, version, found.resources)
}

function paths(groups: readonly GroupVersions[]): readonly string[] {
  const found = ['/api', '/api/v1', '/apis', '/apis/']
  for (const { group, versions } of groups) {
    if (group === '') continue
    append(
      found,
      [`/apis/${group}`],
      versions.map(({ version }) => `/apis/${group}/${version}`),
    )
  }
  return [...found, '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'].toSorted()
}
