/**
 * The API server: a function from HTTP request to HTTP response over storage of its own. It knows no sockets, no nodes and no
 * controllers; those are clients.
 */
import type { HttpHandler, HttpRequest, HttpResponse } from '../../runtime/http.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { fieldManagement } from './apply/field-management.ts'
import { CustomResources } from './crd/custom-resources.ts'
import { Discovery } from './discovery/discovery.ts'
import { Registry } from './registry.ts'
import { jsonResponse } from './rest/answer.ts'
import { type Handlers, handlerFor } from './rest/dispatch.ts'
import { encodeAnswer } from './rest/encode.ts'
import type { Parts, ResourceRequest } from './rest/request.ts'
import { requestInfoOf } from './rest/request-info.ts'
import { internal, pathNotFound, StatusError } from './status/status-error.ts'
import { Store } from './storage/store.ts'
import { type PodLogs, readLog } from './subresources/log.ts'
import { builtinResources } from './types/builtin.ts'
import { EventEncoder } from './watch/events.ts'
import { watch } from './watch/watch.ts'

export interface ApiServerOptions {
  /** Changes of each kind that watches can resume from. @default 10000 */
  readonly watchWindow?: number
  /** `host:port` that clients are told to reach the server at. @default 127.0.0.1:6443 */
  readonly address?: string
  /** Where the logs of containers come from. */
  readonly podLogs?: PodLogs
}

export class ApiServer {
  readonly handle: HttpHandler = (request) => this.#handle(request)
  readonly #parts: Parts
  readonly #discovery: Discovery
  readonly #handlers: Handlers

  constructor(runtime: Runtime, options: ApiServerOptions = {}) {
    const registry = new Registry()
    for (const resource of builtinResources()) registry.add(resource)
    this.#parts = {
      runtime,
      registry,
      store: new Store(runtime.clock, { events: options.watchWindow ?? 10_000, age: 300_000 }),
      fields: fieldManagement,
      admission: { mutate: async ({ object }) => object, validate: async () => {} },
    }
    new CustomResources(runtime, this.#parts.store, registry).start()
    this.#discovery = new Discovery(registry, options.address ?? '127.0.0.1:6443')
    const events = new EventEncoder()
    this.#handlers = {
      '*': { watch: (request) => watch(request, events) },
      '*/log': { get: (request) => readLog(request, options.podLogs) },
    }
  }

  async #handle(http: HttpRequest): Promise<HttpResponse> {
    try {
      return await this.#answer(http)
    } catch (error) {
      const known = error instanceof StatusError
      const status = known ? error : internal(error instanceof Error ? error.message : String(error))
      if (!known) this.#parts.runtime.log.error('request failed', { target: http.target, error })
      const retry = status.details?.retryAfterSeconds
      const headers = retry === undefined ? {} : { 'retry-after': String(retry) }
      return jsonResponse(status.code, JSON.stringify(status.toStatus()), headers)
    }
  }

  async #answer(http: HttpRequest): Promise<HttpResponse> {
    const url = new URL(http.target, 'http://server')
    const info = requestInfoOf(http.method, url.pathname, url.searchParams)
    if (!info.isResource) {
      const answer = this.#discovery.answer(http, url.pathname, url.searchParams)
      if (answer === undefined) throw pathNotFound()
      return answer
    }
    const resource = this.#parts.registry.find(info.group, info.version, info.resource)
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
    return encodeAnswer(request, await handlerFor(request, this.#handlers)(request))
  }
}
