/** Parses and validates the query of a list or watch, with the error messages of the real API server. */
import { type FieldError, forbiddenValue, notSupported } from '../field-error.ts'
import { badRequest, invalidObject, StatusError } from '../status/status-error.ts'

export interface ListOptions {
  readonly limit: number
  readonly continue: string
  /** Undefined when absent. */
  readonly resourceVersion: number | undefined
  readonly match: 'Exact' | 'NotOlderThan' | ''
  readonly allowBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
  readonly timeoutSeconds: number | undefined
}

export function listOptionsOf(query: URLSearchParams, watch: boolean): ListOptions {
  const match = query.get('resourceVersionMatch') ?? ''
  const version = query.get('resourceVersion') ?? ''
  const sendInitialEvents = flag(query, 'sendInitialEvents')
  const given = { match, version, token: query.get('continue') ?? '', sendInitialEvents }
  const limit = integer(query, 'limit') ?? 0
  const timeoutSeconds = integer(query, 'timeoutSeconds')
  const errors = watch ? watchErrors(given) : listErrors(given)
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  return {
    limit,
    continue: given.token,
    resourceVersion: versionOf(version, watch),
    match: match as ListOptions['match'],
    allowBookmarks: flag(query, 'allowWatchBookmarks') === true,
    sendInitialEvents,
    timeoutSeconds,
  }
}

interface Given {
  readonly match: string
  readonly version: string
  readonly token: string
  readonly sendInitialEvents: boolean | undefined
}

const matchField = 'resourceVersionMatch'

function listErrors({ match, version, token, sendInitialEvents }: Given): readonly FieldError[] {
  const errors: FieldError[] = []
  if (match !== '') {
    if (version === '') {
      errors.push(forbiddenValue(matchField, 'resourceVersionMatch is forbidden unless resourceVersion is provided'))
    }
    if (token !== '') {
      errors.push(forbiddenValue(matchField, 'resourceVersionMatch is forbidden when continue is provided'))
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(matchField, match, ['Exact', 'NotOlderThan', '']))
    }
    if (match === 'Exact' && version === '0') {
      errors.push(forbiddenValue(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    }
  }
  if (sendInitialEvents !== undefined) {
    errors.push(forbiddenValue('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

function watchErrors({ match, token, sendInitialEvents }: Given): readonly FieldError[] {
  const errors: FieldError[] = []
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbiddenValue(matchField, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
  }
  if (match === '') return errors
  if (sendInitialEvents === undefined) {
    errors.push(
      forbiddenValue(matchField, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    )
  }
  if (match !== 'NotOlderThan') errors.push(notSupported(matchField, match, ['NotOlderThan']))
  if (token !== '') {
    errors.push(forbiddenValue(matchField, 'resourceVersionMatch is forbidden when continue is provided'))
  }
  return errors
}

export function versionOf(text: string, watch: boolean): number | undefined {
  if (text === '') return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const why = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`
  throw watch ? new StatusError(500, '', why) : badRequest(`invalid resource version: ${why}`)
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  return Number(text)
}

function flag(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name)
  return text === null ? undefined : !/^(false|0)$/i.test(text)
}
