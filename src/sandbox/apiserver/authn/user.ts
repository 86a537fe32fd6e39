/** The user of a request, after authentication. */
import type { JsonObject } from '../../../runtime/index.ts'

export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** The form used by reviews and webhooks. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  }
}
