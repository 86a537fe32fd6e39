/**
 * Serves `/openapi/v2` and `/openapi/v3`. Documents are built on first request and rebuilt when their resources change;
 * version 3 URLs contain a hash so that clients can cache them.
 */
import type { HttpRequest, HttpResponse, Json, JsonObject } from '../../../runtime/index.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../resource.ts'
import { StatusError } from '../status/status-error.ts'
import { typeModel } from '../types/model.ts'
import { documentV3 } from './documents.ts'
import { encodeV2 } from './protobuf.ts'
import { documentV2 } from './version2.ts'

interface Document {
  readonly body: Uint8Array
  readonly hash: string
}

interface CachedDocument extends Document {
  readonly resources: readonly ServedResource[]
}

const json = 'application/json'
/** Clients request one spelling and receive the other, because the first is not a valid media type. */
const protobuf = {
  requested: /proto-openapi\.spec\.v2[@.]v1\.0\+protobuf/,
  type: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
}

export class OpenApi {
  readonly #registry: Registry
  readonly #documents = new Map<string, CachedDocument>()

  constructor(registry: Registry) {
    this.#registry = registry
  }

  /** Undefined for other paths. */
  respond(http: HttpRequest, path: string): HttpResponse | undefined {
    if (http.method !== 'GET' || !path.startsWith('/openapi/')) return undefined
    if (path === '/openapi/v2') return this.#version2(http)
    if (path === '/openapi/v3') return this.#index(http)
    const groups = this.#groupVersions()
    const resources = groups.get(path.replace('/openapi/v3/', ''))
    if (resources === undefined) return undefined
    return jsonDocument(http, this.#document(path, resources))
  }

  #version2(http: HttpRequest): HttpResponse {
    const resources = this.#registry.all()
    if (!protobuf.requested.test(http.headers['accept'] ?? ''))
      return jsonDocument(http, this.#document('v2', resources))
    return cachedResponse(http, this.#document('v2 protobuf', resources), protobuf.type)
  }

  #index(http: HttpRequest): HttpResponse {
    const paths: Record<string, Json> = {}
    for (const [name, resources] of this.#groupVersions()) {
      const { hash } = this.#document(`/openapi/v3/${name}`, resources)
      paths[name] = { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }
    }
    return jsonDocument(http, documentOf(encoded({ paths })))
  }

  /** Resources keyed by `api/v1` or `apis/apps/v1`. */
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

  #document(key: string, resources: readonly ServedResource[]): CachedDocument {
    const cached = this.#documents.get(key)
    const isSame =
      cached?.resources.length === resources.length && cached.resources.every((one, index) => one === resources[index])
    if (cached !== undefined && isSame) return cached
    const made: CachedDocument = { resources, ...documentOf(bodyOf(key, resources)) }
    this.#documents.set(key, made)
    return made
  }
}

function bodyOf(key: string, resources: readonly ServedResource[]): Uint8Array {
  if (key === 'v2') return encoded(documentV2(resources, typeModel()))
  if (key === 'v2 protobuf') return encodeV2(documentV2(resources, typeModel()))
  return encoded(documentV3(resources, typeModel()))
}

function encoded(document: JsonObject): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(document))
}

function documentOf(body: Uint8Array): Document {
  return { body, hash: hashOf(body) }
}

/** Only JSON is supported: kubectl falls back to JSON after a 406. */
function jsonDocument(http: HttpRequest, document: Document): HttpResponse {
  const accept = http.headers['accept'] ?? '*/*'
  if (/\*\/\*|application\/(\*|json)/.test(accept)) return cachedResponse(http, document, json)
  throw new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${json}`)
}

function cachedResponse(http: HttpRequest, { body, hash }: Document, type: string): HttpResponse {
  const headers = { 'content-type': type, etag: `"${hash}"`, vary: 'Accept', 'cache-control': 'public' }
  if (http.headers['if-none-match'] === headers.etag) return { status: 304, headers, body: new Uint8Array() }
  return { status: 200, headers, body }
}

/** Two rounds of FNV-1a with different offsets: enough to distinguish the documents of one server. */
function hashOf(bytes: Uint8Array): string {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (const byte of bytes) {
    low = Math.imul(low ^ byte, 0x01000193)
    high = Math.imul(high ^ byte, 0x85ebca6b)
  }
  return [low, high].map((part) => (part >>> 0).toString(16).padStart(8, '0').toUpperCase()).join('')
}
