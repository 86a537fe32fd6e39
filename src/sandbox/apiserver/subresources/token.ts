/** serviceaccounts/token: issues an expiring token for a service account, optionally bound to an object. */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { issuer, type TokenClaims, type Tokens } from '../authn/tokens.ts'
import { invalid } from '../field-error.ts'
import { type ApiObject, at } from '../object.ts'
import { readObject } from '../rest/body.ts'
import type { HandlerResult } from '../rest/handler-result.ts'
import { collectionOf, keyOf, type ResourceRequest } from '../rest/request.ts'
import { badRequest, conflict, invalidObject, notFound } from '../status/status-error.ts'
import { timestamp } from '../timestamp.ts'

const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' }

export async function createToken(request: ResourceRequest, tokens: Tokens): Promise<HandlerResult> {
  const { resource, info } = request
  const body = readObject(request.http.body, request.http.headers['content-type'], 'TokenRequest')
  const account = collectionOf(request).get(keyOf(resource, info.namespace, info.name))?.object
  if (account === undefined) throw notFound(resource, info.name)
  const spec = at(body, 'spec')
  const seconds = at(spec, 'expirationSeconds')
  const expirationSeconds = typeof seconds === 'number' ? seconds : 3600
  checkDuration(expirationSeconds)
  const given = at(spec, 'audiences')
  const audiences = Array.isArray(given) && given.length > 0 ? (given as readonly string[]) : [issuer]
  const { token, expires } = tokens.issue({
    namespace: info.namespace,
    serviceAccount: { name: info.name, uid: account.metadata.uid ?? '' },
    audiences,
    expirationSeconds,
    ...boundTo(request, at(spec, 'boundObjectRef'), info.name),
  })
  const document: JsonObject = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {
      name: info.name,
      namespace: info.namespace,
      creationTimestamp: timestamp(request.parts.runtime.clock.now()),
    },
    spec: {
      ...(isJsonObject(spec) ? spec : {}),
      audiences,
      expirationSeconds,
      boundObjectRef: at(spec, 'boundObjectRef') ?? null,
    },
    status: { token, expirationTimestamp: timestamp(expires) },
  }
  return { kind: 'document', code: 201, document }
}

function checkDuration(seconds: number): void {
  const field = 'spec.expirationSeconds'
  if (seconds < 600) {
    throw invalidObject(kind, '', [invalid(field, seconds, 'may not specify a duration less than 10 minutes')])
  }
  if (seconds > 2 ** 32) {
    throw invalidObject(kind, '', [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')])
  }
}

type Bound = Pick<TokenClaims, 'pod' | 'node' | 'secret'>

function boundTo(request: ResourceRequest, reference: Json | undefined, account: string): Bound {
  if (!isJsonObject(reference)) return {}
  const name = String(reference['name'])
  const uid = reference['uid']
  const { store } = request.parts
  const namespace = request.info.namespace
  const find = (resource: string, key: string): ApiObject => {
    const object = store.collection({ group: '', resource }).get(key)?.object
    if (object === undefined) throw notFound({ group: '', resource }, name)
    if (typeof uid === 'string' && uid !== '' && uid !== object.metadata.uid) {
      throw conflict(
        { group: '', resource },
        name,
        `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      )
    }
    return object
  }
  switch (reference['kind']) {
    case 'Pod': {
      const pod = find('pods', `${namespace}/${name}`)
      if (at(pod, 'spec', 'serviceAccountName') !== account) {
        throw badRequest(
          `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
        )
      }
      const node = at(pod, 'spec', 'nodeName')
      const found =
        typeof node === 'string' ? store.collection({ group: '', resource: 'nodes' }).get(node)?.object : undefined
      return {
        pod: { name, uid: pod.metadata.uid ?? '' },
        ...(typeof node === 'string' && node !== '' ? { node: { name: node, uid: found?.metadata.uid ?? '' } } : {}),
      }
    }
    case 'Secret':
      return { secret: { name, uid: find('secrets', `${namespace}/${name}`).metadata.uid ?? '' } }
    case 'Node':
      return { node: { name, uid: find('nodes', name).metadata.uid ?? '' } }
    default:
      throw badRequest(
        `cannot bind token to object of type ${String(reference['apiVersion'])}, Kind=${String(reference['kind'])}`,
      )
  }
}
