/** Continue tokens: the revision of a paged list and the last key of the previous page. */
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import { fromBase64Url, toBase64Url } from '../base64url.ts'
import { badRequest } from '../status/status-error.ts'

export interface Continuation {
  /** -1 continues with the current revision. */
  readonly revision: number
  readonly after: string
}

export function encodeContinue({ revision, after }: Continuation): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })))
}

export function decodeContinue(token: string): Continuation {
  const value = parsed(token)
  if (!isJsonObject(value)) throw invalidToken('')
  const { v: version, rv: revision, start: after } = value
  if (version !== 'meta.k8s.io/v1')
    throw invalidToken(`: server does not recognize this encoded version ${String(version)}`)
  if (typeof revision !== 'number' || revision === 0) {
    throw invalidToken(': incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  }
  if (typeof after !== 'string' || after === '')
    throw invalidToken(': encoded start key empty (version meta.k8s.io/v1)')
  return { revision, after }
}

function parsed(token: string): Json {
  try {
    return JSON.parse(new TextDecoder().decode(fromBase64Url(token))) as Json
  } catch (error) {
    throw invalidToken(`: ${(error as Error).message}`)
  }
}

function invalidToken(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid${why}`)
}
