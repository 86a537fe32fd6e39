/** Where a list that comes in pages goes on: the version it shows and the last key it has shown. */
import { isJsonObject, type Json } from '../../../runtime/json.ts'
import { fromBase64Url, toBase64Url } from '../base64url.ts'
import { badRequest } from '../status/status-error.ts'

export interface Continuation {
  /** -1 goes on with whatever is there now. */
  readonly revision: number
  readonly after: string
}

export function encodeContinue({ revision, after }: Continuation): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })))
}

export function decodeContinue(token: string): Continuation {
  const value = parsed(token)
  if (!isJsonObject(value)) throw refused('')
  const { v: version, rv: revision, start: after } = value
  if (version !== 'meta.k8s.io/v1') throw refused(`: server does not recognize this encoded version ${String(version)}`)
  if (typeof revision !== 'number' || revision === 0) {
    throw refused(': incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  }
  if (typeof after !== 'string' || after === '') throw refused(': encoded start key empty (version meta.k8s.io/v1)')
  return { revision, after }
}

function parsed(token: string): Json {
  try {
    return JSON.parse(new TextDecoder().decode(fromBase64Url(token))) as Json
  } catch (error) {
    throw refused(`: ${(error as Error).message}`)
  }
}

function refused(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid${why}`)
}
