/** Access, token and self subject reviews. They are evaluated on creation and not stored. */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import type { Authenticator } from '../authn/authenticator.ts'
import { issuer } from '../authn/tokens.ts'
import { type User, userInfo } from '../authn/user.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { at } from '../object.ts'
import { readObject } from '../rest/body.ts'
import { decodeObject } from '../rest/decode.ts'
import type { Handlers } from '../rest/dispatch.ts'
import type { HandlerResult } from '../rest/handler-result.ts'
import { managerOf, type ResourceRequest } from '../rest/request.ts'
import { badRequest, invalidObject, type StatusError } from '../status/status-error.ts'
import { timestamp } from '../timestamp.ts'
import type { AccessQuery, Authorizer } from './authorizer.ts'

export function reviewHandlers(authorizer: Authorizer, authenticator: Authenticator): Handlers {
  const access =
    (subject: (request: ResourceRequest, spec: JsonObject) => User) => async (request: ResourceRequest) => {
      const review = reviewOf(request)
      const spec = specOf(review)
      const query = queryOf(spec)
      if (request.resource.namespaced && query.namespace !== request.info.namespace) {
        throw badRequest('spec.resourceAttributes.namespace must match the namespace of the request')
      }
      const { allowed, reason } = authorizer.decide(subject(request, spec), query)
      return reviewResult(review, { allowed, ...(reason === '' ? {} : { reason }) })
    }
  const self = (request: ResourceRequest): User => request.user
  return {
    'authorization.k8s.io/selfsubjectaccessreviews': { create: access(self) },
    'authorization.k8s.io/subjectaccessreviews': { create: access((_request, spec) => subjectOf(spec)) },
    'authorization.k8s.io/localsubjectaccessreviews': { create: access((_request, spec) => subjectOf(spec)) },
    'authorization.k8s.io/selfsubjectrulesreviews': {
      create: async (request) => {
        const review = reviewOf(request)
        const namespace = at(review, 'spec', 'namespace')
        if (typeof namespace !== 'string' || namespace === '') throw badRequest('no namespace on request')
        return reviewResult({ ...review, spec: {} }, rulesStatus(authorizer, request.user, namespace))
      },
    },
    'authentication.k8s.io/tokenreviews': {
      create: async (request) => {
        const review = reviewOf(request)
        const token = at(review, 'spec', 'token')
        if (typeof token !== 'string' || token === '')
          throw badRequest('token is required for TokenReview in authentication')
        const user = authenticator.byToken(token)
        if (user === undefined) return reviewResult(review, { user: {}, error: 'invalid bearer token' })
        return reviewResult(review, { authenticated: true, user: userInfo(user), audiences: [issuer] })
      },
    },
    'authentication.k8s.io/selfsubjectreviews': {
      create: async (request) => {
        const { metadata, ...review } = reviewOf(request)
        const creationTimestamp = timestamp(request.parts.runtime.clock.now())
        return reviewResult(
          { ...review, metadata: { ...(metadata as JsonObject), creationTimestamp } },
          { userInfo: userInfo(request.user) },
        )
      },
    },
  }
}

function reviewOf(request: ResourceRequest): JsonObject {
  const { resource, parts } = request
  const object = decodeObject(
    request,
    readObject(request.http.body, request.http.headers['content-type'], request.resource.kind),
  )
  const now = parts.runtime.clock.now()
  return parts.fields.update({ resource, manager: managerOf(request), subresource: '', now, object, old: undefined })
}

function specOf(review: JsonObject): JsonObject {
  const spec = review['spec']
  return isJsonObject(spec) ? spec : {}
}

function reviewResult(review: JsonObject, status: JsonObject): HandlerResult {
  return { kind: 'document', code: 201, document: { ...review, status } }
}

/** The real API server leaves the kind empty here. */
function invalidReview(error: FieldError): StatusError {
  return invalidObject({ group: 'authorization.k8s.io', kind: '' }, '', [error])
}

function subjectOf(spec: JsonObject): User {
  const groups = spec['groups']
  if (!spec['user'] && !(Array.isArray(groups) && groups.length > 0)) {
    throw invalidReview(invalid('spec.user', '', 'at least one of user or group must be specified'))
  }
  const uid = spec['uid']
  return {
    name: text(spec['user']),
    groups: Array.isArray(groups) ? (groups as readonly string[]) : [],
    ...(typeof uid === 'string' ? { uid } : {}),
  }
}

function queryOf(spec: JsonObject): AccessQuery {
  const attributes = spec['resourceAttributes']
  const path = spec['nonResourceAttributes']
  const none = { verb: '', group: '', resource: '', subresource: '', namespace: '', name: '' }
  if (isJsonObject(path)) return { ...none, verb: text(path['verb']), path: text(path['path']) }
  if (!isJsonObject(attributes)) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    throw invalidReview(invalid('spec.resourceAttributes', null, why))
  }
  return {
    verb: text(attributes['verb']),
    group: text(attributes['group']),
    resource: text(attributes['resource']),
    subresource: text(attributes['subresource']),
    namespace: text(attributes['namespace']),
    name: text(attributes['name']),
  }
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function rulesStatus(authorizer: Authorizer, user: User, namespace: string): JsonObject {
  const rules = authorizer.rulesOf(user, namespace)
  return {
    resourceRules: rules
      .filter(({ resources }) => resources !== undefined && resources.length > 0)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs,
        ...(apiGroups === undefined ? {} : { apiGroups }),
        ...(resources === undefined ? {} : { resources }),
        ...(resourceNames === undefined ? {} : { resourceNames }),
      })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs !== undefined && nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  }
}
