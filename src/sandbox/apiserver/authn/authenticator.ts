/** Authenticates a request by client certificate or bearer token; otherwise it is anonymous. */
import type { HttpRequest } from '../../../runtime/index.ts'
import { unauthorized } from '../status/status-error.ts'
import type { Tokens } from './tokens.ts'
import type { User } from './user.ts'

export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

export class Authenticator {
  readonly #static: ReadonlyMap<string, User>
  readonly #tokens: Tokens

  constructor(fixed: ReadonlyMap<string, User>, tokens: Tokens) {
    this.#static = fixed
    this.#tokens = tokens
  }

  /** Invalid credentials are refused with 401; a request without credentials is anonymous. */
  authenticate(http: HttpRequest): User {
    const certificate = http.peer?.certificate
    const header = http.headers['authorization']
    const token = header === undefined ? undefined : /^bearer\s+(\S+)\s*$/i.exec(header)?.[1]
    if (token !== undefined) {
      const user = this.byToken(token)
      if (typeof user === 'object') return user
      if (certificate === undefined) throw unauthorized()
    }
    if (certificate !== undefined) {
      return { name: certificate.commonName, groups: [...certificate.organizations, 'system:authenticated'] }
    }
    return anonymous
  }

  byToken(token: string): User | undefined {
    const fixed = this.#static.get(token)
    if (fixed !== undefined) return fixed
    const verified = this.#tokens.verify(token)
    return typeof verified === 'object' ? verified.user : undefined
  }
}
