/**
 * The API server: a function from HTTP request to HTTP response over storage of its own. It knows no sockets, no nodes and no
 * controllers; those are clients.
 */
import type { HttpHandler, HttpRequest, HttpResponse } from '../../runtime/http.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { builtinResources } from './builtin/resources.ts'
import { Registry } from './registry.ts'
import { jsonResponse } from './rest/answer.ts'
import { create } from './rest/create.ts'
import { remove, removeCollection } from './rest/delete.ts'
import { encodeAnswer } from './rest/encode.ts'
import { patch } from './rest/patch.ts'
import { get, list } from './rest/read.ts'
import type { Parts, ResourceRequest } from './rest/request.ts'
import { requestInfoOf } from './rest/request-info.ts'
import { update } from './rest/update.ts'
import { internal, methodNotSupported, pathNotFound, StatusError } from './status/status-error.ts'
import { Store } from './storage/store.ts'
import { EventEncoder } from './watch/events.ts'
import { watch } from './watch/watch.ts'

export interface ApiServerOptions {
  /** Changes of each kind that watches can resume from. @default 10000 */
  readonly watchWindow?: number
}

export class ApiServer {
  readonly handle: HttpHandler = (request) => this.#handle(request)
  readonly #parts: Parts
  readonly #events = new EventEncoder()

  constructor(runtime: Runtime, options: ApiServerOptions = {}) {
    const registry = new Registry()
    for (const resource of builtinResources()) registry.add(resource)
    this.#parts = {
      runtime,
      registry,
      store: new Store(runtime.clock, { events: options.watchWindow ?? 10_000, age: 300_000 }),
      fields: { update: ({ object }) => object, apply: ({ applied }) => applied as never },
      admission: { mutate: async ({ object }) => object as never, validate: async () => {} },
    }
  }

  async #handle(http: HttpRequest): Promise<HttpResponse> {
    try {
      return await this.#answer(http)
    } catch (error) {
      const status =
        error instanceof StatusError ? error : internal(error instanceof Error ? error.message : String(error))
      if (status !== error) this.#parts.runtime.log.error('request failed', { target: http.target, error })
      return jsonResponse(status.code, JSON.stringify(status.toStatus()))
    }
  }

  async #answer(http: HttpRequest): Promise<HttpResponse> {
    const url = new URL(http.target, 'http://server')
    const info = requestInfoOf(http.method, url.pathname, url.searchParams)
    const resource = info.isResource ? this.#parts.registry.find(info.group, info.version, info.resource) : undefined
    if (resource === undefined) throw pathNotFound()
    const request: ResourceRequest = {
      parts: this.#parts,
      http,
      query: url.searchParams,
      info,
      user: { name: 'admin', groups: ['system:masters'] },
      resource,
      subresource: resource.subresources.find(({ name }) => name === info.subresource),
      dryRun: url.searchParams.get('dryRun') === 'All',
      warnings: [],
    }
    switch (info.verb) {
      case 'create':
        return encodeAnswer(request, await create(request))
      case 'get':
        return encodeAnswer(request, await get(request))
      case 'list':
        return encodeAnswer(request, await list(request))
      case 'watch':
        return encodeAnswer(request, await watch(request, this.#events))
      case 'update':
        return encodeAnswer(request, await update(request))
      case 'patch':
        return encodeAnswer(request, await patch(request))
      case 'delete':
        return encodeAnswer(request, await remove(request))
      case 'deletecollection':
        return encodeAnswer(request, await removeCollection(request))
      default:
        throw methodNotSupported(resource, info.verb)
    }
  }
}
