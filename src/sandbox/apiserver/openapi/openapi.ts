/**
 * Answers for `/openapi/v2` and `/openapi/v3`. Documents are made when first asked for and made anew when what they describe has
 * changed; version 3 carries a hash in its addresses so that clients can keep them.
 */
import type { HttpRequest, HttpResponse } from '../../../runtime/http.ts'
import type { Json, JsonObject } from '../../../runtime/json.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../resource.ts'
import { StatusError } from '../status/status-error.ts'
import { typeModel } from '../types/model.ts'
import { documentV2, documentV3 } from './documents.ts'

interface Kept {
  readonly resources: readonly ServedResource[]
  readonly text: string
  readonly hash: string
}

export class OpenApi {
  readonly #registry: Registry
  readonly #documents = new Map<string, Kept>()

  constructor(registry: Registry) {
    this.#registry = registry
  }

  /** Undefined for paths that are not of this kind. */
  answer(http: HttpRequest, path: string): HttpResponse | undefined {
    if (http.method !== 'GET' || !path.startsWith('/openapi/')) return undefined
    if (path === '/openapi/v2') return respond(http, this.#document('v2', this.#registry.all()), 'application/json')
    if (path === '/openapi/v3') return this.#index(http)
    const groups = this.#groupVersions()
    const resources = groups.get(path.replace('/openapi/v3/', ''))
    if (resources === undefined) return undefined
    return respond(http, this.#document(path, resources), 'application/json')
  }

  #index(http: HttpRequest): HttpResponse {
    const paths: Record<string, Json> = {}
    for (const [name, resources] of this.#groupVersions()) {
      const { hash } = this.#document(`/openapi/v3/${name}`, resources)
      paths[name] = { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }
    }
    const text = JSON.stringify({ paths })
    return respond(http, { text, hash: hashOf(text) }, 'application/json')
  }

  /** Resources by `api/v1` or `apis/apps/v1`. */
  #groupVersions(): ReadonlyMap<string, readonly ServedResource[]> {
    const groups = new Map<string, ServedResource[]>()
    for (const resource of this.#registry.all()) {
      const { group, version } = resource
      const name = group === '' ? `api/${version}` : `apis/${group}/${version}`
      const same = groups.get(name)
      if (same === undefined) groups.set(name, [resource])
      else same.push(resource)
    }
    return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #document(key: string, resources: readonly ServedResource[]): Kept {
    const kept = this.#documents.get(key)
    const isSame =
      kept?.resources.length === resources.length && kept.resources.every((one, index) => one === resources[index])
    if (kept !== undefined && isSame) return kept
    const document: JsonObject = key === 'v2' ? documentV2(resources, typeModel()) : documentV3(resources, typeModel())
    const text = JSON.stringify(document)
    const made: Kept = { resources, text, hash: hashOf(text) }
    this.#documents.set(key, made)
    return made
  }
}

/** JSON is what is spoken here: clients that insist on protobuf are told so and ask again. */
function respond(
  http: HttpRequest,
  { text, hash }: { readonly text: string; readonly hash: string },
  type: string,
): HttpResponse {
  const accept = http.headers['accept'] ?? '*/*'
  if (!/\*\/\*|application\/(\*|json)/.test(accept)) {
    throw new StatusError(406, 'NotAcceptable', 'only the following media types are accepted: application/json')
  }
  const headers = { 'content-type': type, etag: `"${hash}"`, vary: 'Accept', 'cache-control': 'public' }
  if (http.headers['if-none-match'] === headers.etag) return { status: 304, headers, body: new Uint8Array() }
  return { status: 200, headers, body: new TextEncoder().encode(text) }
}

/** Two rounds of FNV-1a with different starts: enough to tell documents of one server apart. */
function hashOf(text: string): string {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x85ebca6b)
  }
  return [low, high].map((part) => (part >>> 0).toString(16).padStart(8, '0').toUpperCase()).join('')
}
