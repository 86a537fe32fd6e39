/** Impersonation: the `as…` fields of a kubeconfig user as headers, and a connection that acts as another user. */
import type { Connection, Identity } from './connection.ts'
import type { Fields } from './fields.ts'

export function impersonationOf(fields: Fields): Identity['headers'] {
  const user = fields.text('as')
  if (user === undefined) return {}
  const groups = fields.list('as-groups')
  const uid = fields.text('as-uid')
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': user }
  if (groups.length > 0) headers['impersonate-group'] = groups
  if (uid !== undefined) headers['impersonate-uid'] = uid
  for (const [key, values] of Object.entries(fields.object('as-user-extra') ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = Array.isArray(values)
      ? values.map(String)
      : []
  }
  return headers
}

/**
 * The same connection as another user, like the flag `--as` of kubectl: it replaces the `as…` fields of the kubeconfig. Without a user
 * no user is impersonated: the identity is that of the credentials.
 */
export function impersonating(connection: Connection, user: string | undefined): Connection {
  let last: { readonly real: Identity; readonly acting: Identity } | undefined
  async function identity(): Promise<Identity> {
    const real = await connection.identity()
    if (last?.real === real) return last.acting
    const own = Object.entries(real.headers).filter(([name]) => !name.startsWith('impersonate-'))
    const headers = { ...Object.fromEntries(own), ...(user === undefined ? {} : { 'impersonate-user': user }) }
    last = { real, acting: { tls: real.tls, headers } }
    return last.acting
  }
  return {
    ...connection,
    identity,
    renew: async (refused) => (last?.acting === refused ? connection.renew(last.real) : true),
  }
}
