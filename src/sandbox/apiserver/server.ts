/**
 * The API server: a function from HTTP request to HTTP response with its own storage. It knows nothing of sockets,
 * nodes or controllers; those are clients.
 */
import type { HttpHandler, HttpRequest, HttpResponse, Random, Runtime } from '../../runtime/index.ts'
import { AdmissionChain } from './admission/chain.ts'
import { limitRanges } from './admission/plugins/limit-ranges.ts'
import { namespaceLifecycle } from './admission/plugins/namespaces.ts'
import { defaultTolerations, priorities } from './admission/plugins/pods.ts'
import { protection } from './admission/plugins/protection.ts'
import { serviceAccounts } from './admission/plugins/service-accounts.ts'
import type { ResolveService } from './admission/webhooks/call.ts'
import { WebhookDispatcher } from './admission/webhooks/dispatcher.ts'
import { fieldManagement } from './apply/field-management.ts'
import { type Audit, auditEntry } from './audit/audit.ts'
import { Authenticator } from './authn/authenticator.ts'
import { impersonated } from './authn/impersonation.ts'
import { Tokens } from './authn/tokens.ts'
import type { User } from './authn/user.ts'
import { type AccessQuery, Authorizer, accessDenied } from './authz/authorizer.ts'
import { checkEscalation } from './authz/escalation.ts'
import { reviewHandlers } from './authz/reviews.ts'
import { toBase64Url } from './base64url.ts'
import { aggregateClusterRoles } from './bootstrap/aggregation.ts'
import { bootstrap } from './bootstrap/cluster.ts'
import { CustomResources } from './crd/custom-resources.ts'
import { Discovery } from './discovery/discovery.ts'
import { OpenApi } from './openapi/openapi.ts'
import { Quotas } from './quota/quotas.ts'
import { Registry } from './registry.ts'
import { type Handlers, handlerFor } from './rest/dispatch.ts'
import { encodeResult } from './rest/encode.ts'
import { jsonResponse } from './rest/handler-result.ts'
import type { ResourceRequest, ServerParts } from './rest/request.ts'
import { type RequestInfo, requestInfoOf } from './rest/request-info.ts'
import { internal, pathNotFound, StatusError } from './status/status-error.ts'
import { objectChange } from './storage/data/format.ts'
import type { Journal } from './storage/data/journal.ts'
import { Store, type StoreState } from './storage/store.ts'
import { type PodLogs, readLog } from './subresources/log.ts'
import { createToken } from './subresources/token.ts'
import { builtinResources } from './types/builtin.ts'
import { Bookmarks } from './watch/bookmarks.ts'
import { EventEncoder } from './watch/events.ts'
import { watch } from './watch/watch.ts'

export interface ApiServerOptions {
  /**
   * Number of changes per kind that watches can resume from.
   * @default 10000
   */
  readonly watchWindow?: number
  /**
   * The `host:port` that discovery reports to clients.
   * @default 127.0.0.1:6443
   */
  readonly address?: string
  /** Source of container logs. */
  readonly podLogs?: PodLogs
  /** Resolves the Services that webhooks refer to. */
  readonly resolveService?: ResolveService
  /** Called for every request after its response. */
  readonly audit?: Audit
  /**
   * Starts with the objects of another server. Its history and its tokens are not carried over.
   * @default a new cluster
   */
  readonly state?: StoreState
  /**
   * Saves every change before its request is answered.
   * @default everything is in memory
   */
  readonly journal?: Journal
  /**
   * Makes tokens and kubeconfigs of an earlier server valid.
   * @default random
   */
  readonly credentials?: Credentials
}

export interface Credentials {
  /** The bearer token of an administrator. */
  readonly adminToken: string
  /** Signs the tokens of service accounts. */
  readonly signingKey: Uint8Array
}

export function createCredentials(random: Random): Credentials {
  return { adminToken: toBase64Url(random.bytes(24)), signingKey: random.bytes(32) }
}

const changingVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

const maxBodyBytes = 3 * 1024 * 1024

const administrator: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }

export class ApiServer {
  /** For requests from outside: they authenticate by token or certificate, or are anonymous. */
  readonly handle: HttpHandler = (http) => this.#handle(http, undefined)
  /** The bearer token of an administrator. */
  readonly adminToken: string
  readonly #runtime: Runtime
  readonly #parts: ServerParts
  readonly #authenticator: Authenticator
  readonly #authorizer: Authorizer
  readonly #discovery: Discovery
  readonly #openApi: OpenApi
  readonly #handlers: Handlers
  readonly #audit: Audit | undefined
  readonly #journal: Journal | undefined

  constructor(runtime: Runtime, options: ApiServerOptions = {}) {
    this.#runtime = runtime
    this.#audit = options.audit
    const registry = new Registry()
    for (const resource of builtinResources()) registry.add(resource)
    const { journal, credentials = createCredentials(runtime.random) } = options
    this.#journal = journal
    const store = new Store(
      runtime.clock,
      { maxChanges: options.watchWindow ?? 10_000, maxAgeMs: 300_000 },
      journal && ((collection, change) => journal.record(objectChange(collection, change))),
    )
    const tokens = new Tokens(runtime, store, credentials.signingKey)
    this.adminToken = credentials.adminToken
    this.#authenticator = new Authenticator(new Map([[this.adminToken, administrator]]), tokens)
    this.#authorizer = new Authorizer(store)
    const authorizer = this.#authorizer
    const { resolveService } = options
    this.#parts = {
      runtime,
      registry,
      store,
      fields: fieldManagement,
      admission: new AdmissionChain([
        namespaceLifecycle(store),
        serviceAccounts(store, runtime.random),
        defaultTolerations,
        priorities(store),
        limitRanges(store),
        protection,
        { validate: (attributes) => checkEscalation(authorizer, attributes) },
        new WebhookDispatcher({ runtime, store, registry, authorizer, resolveService }),
        new Quotas(store, registry),
      ]),
    }
    this.#openApi = new OpenApi(registry)
    this.#discovery = new Discovery(registry, options.address ?? '127.0.0.1:6443')
    const events = new EventEncoder()
    const bookmarks = new Bookmarks(runtime.clock)
    this.#handlers = {
      '*': { watch: (request) => watch(request, events, bookmarks) },
      '*/log': { get: (request) => readLog(request, options.podLogs) },
      '*/token': { create: (request) => createToken(request, tokens) },
      ...reviewHandlers(authorizer, this.#authenticator),
    }
    new CustomResources(runtime, store, registry, resolveService).start()
    aggregateClusterRoles(store.collection({ group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }))
    if (options.state === undefined) bootstrap(runtime, store, registry)
    else store.restore(options.state)
    journal?.start(() => store.state)
  }

  /** A snapshot of the storage; another server can start from it. */
  get state(): StoreState {
    return this.#parts.store.state
  }

  /**
   * A handler for components of the same process that need no credentials: requests are made as `user`, by default an
   * administrator.
   */
  as(user: User = administrator): HttpHandler {
    return (http) => this.#handle(http, user)
  }

  async #handle(http: HttpRequest, trusted: User | undefined): Promise<HttpResponse> {
    const url = new URL(http.target, 'http://server')
    const info = requestInfoOf(http.method, url.pathname, url.searchParams)
    const identity: Identity = { user: trusted ?? administrator, impersonator: undefined }
    let response: HttpResponse
    try {
      this.#identify(identity, http, trusted)
      response = await this.#respond(http, url, info, identity.user)
    } catch (error) {
      response = this.#failure(http, error)
    }
    this.#audit?.(
      auditEntry({ time: this.#runtime.clock.now(), ...identity }, info, {
        query: url.search,
        userAgent: http.headers['user-agent'] ?? '',
        code: response.status,
      }),
    )
    return response
  }

  #identify(identity: Identity, http: HttpRequest, trusted: User | undefined): void {
    identity.user = trusted ?? this.#authenticator.authenticate(http)
    const acting = impersonated(http.headers, identity.user, this.#authorizer)
    if (acting === identity.user) return
    identity.impersonator = identity.user
    identity.user = acting
  }

  async #respond(http: HttpRequest, url: URL, info: RequestInfo, user: User): Promise<HttpResponse> {
    this.#authorize(user, info)
    if (!info.isResource) {
      const response =
        this.#openApi.respond(http, url.pathname) ?? this.#discovery.respond(http, url.pathname, url.searchParams)
      if (response === undefined && this.#isKnown(url.pathname)) throw pathNotFound()
      return response ?? plainNotFound
    }
    if ((http.body?.length ?? 0) > maxBodyBytes) {
      throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${maxBodyBytes}`)
    }
    const resource = this.#parts.registry.find(info.group, info.version, info.resource)
    if (resource === undefined) {
      if (!this.#parts.registry.hasGroup(info.group)) return plainNotFound
      throw pathNotFound()
    }
    const request: ResourceRequest = {
      parts: this.#parts,
      http,
      query: url.searchParams,
      info,
      user,
      resource,
      subresource: resource.subresources.find(({ name }) => name === info.subresource),
      dryRun: url.searchParams.getAll('dryRun').includes('All'),
      warnings: [],
    }
    const changes = changingVerbs.has(info.verb)
    if (changes) await this.#journal?.ready()
    const result = await handlerFor(request, this.#handlers)(request)
    if (changes) await this.#journal?.flushed()
    return encodeResult(request, result)
  }

  /** Whether a path is under an existing group, so that the 404 is a `Status` object. */
  #isKnown(path: string): boolean {
    const [, prefix, group = ''] = path.split('/')
    return prefix === 'api' || (prefix === 'apis' && this.#parts.registry.hasGroup(group))
  }

  #authorize(user: User, info: RequestInfo): void {
    const { verb, group, resource, subresource, namespace, name, isResource, path } = info
    const query: AccessQuery = { verb, group, resource, subresource, namespace, name, ...(isResource ? {} : { path }) }
    const { allowed, reason } = this.#authorizer.decide(user, query)
    if (!allowed) throw accessDenied(user, query, reason)
  }

  #failure(http: HttpRequest, error: unknown): HttpResponse {
    const known = error instanceof StatusError
    const status = known ? error : internal(error instanceof Error ? error.message : String(error))
    if (!known) this.#runtime.log.error('request failed', { method: http.method, target: http.target, error })
    const retry = status.details?.retryAfterSeconds
    const headers = retry === undefined ? {} : { 'retry-after': String(retry) }
    return jsonResponse(status.code, JSON.stringify(status.toStatus()), headers)
  }
}

/** Non-API paths get a plain text 404. */
const plainNotFound: HttpResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: new TextEncoder().encode('404 page not found\n'),
}

interface Identity {
  user: User
  impersonator: User | undefined
}
