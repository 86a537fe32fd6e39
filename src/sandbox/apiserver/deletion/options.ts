/** DeleteOptions, from the body or the query of a request. */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { type FieldError, invalid, notSupported } from '../field-error.ts'
import { readJson } from '../rest/body.ts'
import type { ResourceRequest } from '../rest/request.ts'
import { badRequest, invalidObject } from '../status/status-error.ts'

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined
  readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined
  readonly orphanDependents: boolean | undefined
  readonly preconditions: { readonly uid: string | undefined; readonly resourceVersion: string | undefined }
  readonly dryRun: boolean
  /** The options as admission receives them. */
  readonly document: JsonObject
}

const policies = ['Foreground', 'Background', 'Orphan', 'nil']

export function deleteOptionsOf(request: ResourceRequest): DeleteOptions {
  return deleteOptionsIn(documentOf(request), request.dryRun)
}

export function deleteOptionsIn(given: JsonObject, alreadyDry: boolean): DeleteOptions {
  const errors: FieldError[] = []
  const policy = given['propagationPolicy'] ?? undefined
  const orphan = given['orphanDependents'] ?? undefined
  if (policy !== undefined && orphan !== undefined) {
    errors.push(invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'))
  }
  if (policy !== undefined && !policies.slice(0, 3).includes(String(policy))) {
    errors.push(notSupported('propagationPolicy', policy, policies))
  }
  const dryRun = Array.isArray(given['dryRun']) ? (given['dryRun'] as readonly Json[]) : []
  if (dryRun.some((value) => value !== 'All')) errors.push(notSupported('dryRun', [...dryRun], ['All']))
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
  const preconditions = isJsonObject(given['preconditions']) ? given['preconditions'] : {}
  const grace = given['gracePeriodSeconds']
  return {
    gracePeriodSeconds: typeof grace === 'number' ? (grace < 0 ? 1 : grace) : undefined,
    propagationPolicy: policy as DeleteOptions['propagationPolicy'],
    orphanDependents: typeof orphan === 'boolean' ? orphan : undefined,
    preconditions: { uid: textOf(preconditions['uid']), resourceVersion: textOf(preconditions['resourceVersion']) },
    dryRun: dryRun.length > 0 || alreadyDry,
    document: { ...given, kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
  }
}

function documentOf({ http, query }: ResourceRequest): JsonObject {
  if (http.body !== undefined && http.body.length > 0) {
    const body = readOptions(http.body, http.headers['content-type'])
    const kind = isJsonObject(body) ? (body['kind'] ?? 'DeleteOptions') : ''
    if (isJsonObject(body) && kind === 'DeleteOptions') return body
    throw badRequest('decoded object cannot be converted to DeleteOptions')
  }
  const given: Record<string, Json> = {}
  for (const field of ['propagationPolicy'] as const) {
    const value = query.get(field)
    if (value) given[field] = value
  }
  const grace = query.get('gracePeriodSeconds')
  if (grace) given['gracePeriodSeconds'] = Number(grace)
  const orphan = query.get('orphanDependents')
  if (orphan) given['orphanDependents'] = orphan === 'true' || orphan === '1'
  const dryRun = query.getAll('dryRun').filter((value) => value !== '')
  if (dryRun.length > 0) given['dryRun'] = dryRun
  return given
}

function readOptions(body: Uint8Array, contentType: string | undefined): Json {
  try {
    return readJson(body, contentType)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`)
  }
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
