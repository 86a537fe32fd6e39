/**
 * Service account tokens: JSON Web Tokens signed with a key of this server. A token is valid until it expires and while
 * the objects it is bound to exist.
 */
import { hmacSha256, isJsonObject, type Json, type JsonObject, type Runtime } from '../../../runtime/index.ts'
import { fromBase64Url, toBase64Url } from '../base64url.ts'
import { at } from '../object.ts'
import type { Store } from '../storage/store.ts'
import type { User } from './user.ts'

export const issuer = 'https://kubernetes.default.svc.cluster.local'

export interface TokenClaims {
  readonly namespace: string
  readonly serviceAccount: { readonly name: string; readonly uid: string }
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  readonly pod?: { readonly name: string; readonly uid: string }
  readonly node?: { readonly name: string; readonly uid: string }
  readonly secret?: { readonly name: string; readonly uid: string }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export class Tokens {
  readonly #runtime: Runtime
  readonly #store: Store
  readonly #key: Uint8Array

  constructor(runtime: Runtime, store: Store, key: Uint8Array) {
    this.#runtime = runtime
    this.#store = store
    this.#key = key
  }

  issue(claims: TokenClaims): { readonly token: string; readonly expires: number } {
    const now = Math.floor(this.#runtime.clock.now() / 1000)
    const expires = now + claims.expirationSeconds
    const { namespace, serviceAccount, pod, node, secret } = claims
    const payload: JsonObject = {
      aud: claims.audiences,
      exp: expires,
      iat: now,
      iss: issuer,
      jti: this.#runtime.random.uuid(),
      'kubernetes.io': {
        namespace,
        ...(node === undefined ? {} : { node }),
        ...(pod === undefined ? {} : { pod }),
        ...(secret === undefined ? {} : { secret }),
        serviceaccount: serviceAccount,
      },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
    }
    const signed = `${part({ alg: 'HS256', kid: 'sandbox' })}.${part(payload)}`
    return { token: `${signed}.${toBase64Url(hmacSha256(this.#key, encoder.encode(signed)))}`, expires: expires * 1000 }
  }

  /** The user of a token; an error text when the token is invalid; undefined when it was not issued by this server. */
  verify(
    token: string,
    audiences: readonly string[] = [issuer],
  ): { user: User; audiences: string[] } | string | undefined {
    const [header, payload, signature, more] = token.split('.')
    if (header === undefined || payload === undefined || signature === undefined || more !== undefined) return undefined
    if (toBase64Url(hmacSha256(this.#key, encoder.encode(`${header}.${payload}`))) !== signature) return undefined
    const claims = JSON.parse(decoder.decode(fromBase64Url(payload))) as JsonObject
    const now = this.#runtime.clock.now() / 1000
    if (Number(claims['exp']) <= now) return 'service account token has expired'
    if (Number(claims['nbf']) > now) return 'service account token is not valid yet'
    const accepted = (claims['aud'] as readonly string[]).filter((audience) => audiences.includes(audience))
    if (accepted.length === 0)
      return `token audiences ${JSON.stringify(claims['aud'])} is invalid for the target audiences`
    const bound = at(claims, 'kubernetes.io')
    const fault = this.#fault(bound)
    return fault ?? { user: userOf(claims, bound), audiences: accepted }
  }

  /** Every object the token is bound to must still exist with the same uid. */
  #fault(bound: Json | undefined): string | undefined {
    const namespace = String(at(bound, 'namespace'))
    const kinds = { serviceaccount: 'serviceaccounts', pod: 'pods', secret: 'secrets' }
    for (const [claim, resource] of Object.entries(kinds)) {
      const reference = at(bound, claim)
      if (!isJsonObject(reference)) continue
      const stored = this.#store.collection({ group: '', resource }).get(`${namespace}/${String(reference['name'])}`)
      if (stored?.object.metadata.uid === reference['uid']) continue
      return claim === 'serviceaccount'
        ? `service account ${namespace}/${String(reference['name'])} has been deleted`
        : 'service account token has been invalidated'
    }
    return undefined
  }
}

function part(value: JsonObject): string {
  return toBase64Url(encoder.encode(JSON.stringify(value)))
}

function userOf(claims: JsonObject, bound: Json | undefined): User {
  const namespace = String(at(bound, 'namespace'))
  const extra: Record<string, readonly string[]> = {
    'authentication.kubernetes.io/credential-id': [`JTI=${String(claims['jti'])}`],
  }
  for (const kind of ['pod', 'node']) {
    const reference = at(bound, kind)
    if (!isJsonObject(reference)) continue
    extra[`authentication.kubernetes.io/${kind}-name`] = [String(reference['name'])]
    extra[`authentication.kubernetes.io/${kind}-uid`] = [String(reference['uid'])]
  }
  return {
    name: String(claims['sub']),
    uid: String(at(bound, 'serviceaccount', 'uid')),
    groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
    extra,
  }
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}
