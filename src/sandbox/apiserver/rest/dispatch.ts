/** Chooses the handler of a resource request by verb and subresource. */
import { remove, removeCollection } from '../deletion/delete.ts'
import { pathNotFound, StatusError } from '../status/status-error.ts'
import { bind, bindByBody } from '../subresources/binding.ts'
import { evict } from '../subresources/eviction.ts'
import { getScale, patchScale, updateScale } from '../subresources/scale.ts'
import { create } from './create.ts'
import type { HandlerResult } from './handler-result.ts'
import { patch } from './patch.ts'
import { get, list } from './read.ts'
import { type ResourceRequest, warn } from './request.ts'
import { update } from './update.ts'

export type Handler = (request: ResourceRequest) => Promise<HandlerResult>

/** Handlers by verb, keyed by subresource, or by `group/resource` for kinds that are never stored. */

export type Handlers = Readonly<Record<string, Readonly<Record<string, Handler>>>>

const object: Readonly<Record<string, Handler>> = {
  create,
  get,
  list,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
}

const view: Readonly<Record<string, Handler>> = { get, update, patch }

const subresources: Handlers = {
  scale: { get: getScale, update: updateScale, patch: patchScale },
  binding: { create: bind },
  eviction: { create: evict },
}

/** Verbs whose path must (for `create`: must not) contain a name. */
const named = new Set(['create', 'get', 'update', 'patch', 'delete'])

const streams = new Set(['attach', 'exec', 'portforward', 'proxy'])

/** `others` are the handlers that need server parts which are not in the request: watch, log, token, reviews. */
export function handlerFor(request: ResourceRequest, others: Handlers): Handler {
  const { resource, subresource, info } = request
  if (resource.group === '' && resource.kind === 'Endpoints') {
    warn(request, 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice')
  }
  checkScope(request)
  if (info.subresource !== '') {
    if (subresource === undefined) throw pathNotFound()
    if (streams.has(subresource.name)) throw notImplemented(`${resource.resource}/${subresource.name}`)
    const known = others[`*/${subresource.name}`] ?? subresources[subresource.name] ?? view
    return allowed(subresource.verbs, info.verb, known)
  }
  if ((info.verb === 'create') === (info.name !== '') && named.has(info.verb)) throw methodNotAllowed()
  if (resource.resource === 'bindings' && resource.group === '')
    return allowed(resource.verbs, info.verb, { create: bindByBody })
  const virtual = others[`${resource.group}/${resource.resource}`]
  return allowed(resource.verbs, info.verb, virtual ?? { ...object, ...others['*'] })
}

/** A path has a namespace exactly when the resource is namespaced; only list and watch can omit it. */
function checkScope({ resource, info }: ResourceRequest): void {
  if (resource.namespaced) {
    if (info.namespace !== '' || info.verb === 'list' || info.verb === 'watch') return
    throw info.name === '' ? methodNotAllowed() : pathNotFound()
  }
  const isNamespace = resource.group === '' && resource.resource === 'namespaces'
  if (info.namespace !== '' && !(isNamespace && info.namespace === info.name)) throw pathNotFound()
}

function allowed(verbs: readonly string[], verb: string, handlers: Readonly<Record<string, Handler>>): Handler {
  const handler = verbs.includes(verb) ? handlers[verb] : undefined
  if (handler === undefined) throw methodNotAllowed()
  return handler
}

function methodNotAllowed(): StatusError {
  return new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
}

function notImplemented(what: string): StatusError {
  return new StatusError(501, 'NotImplemented', `the sandbox does not implement ${what}`, { kind: what })
}
