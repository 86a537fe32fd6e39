/** Impersonation: the `as…` fields of a kubeconfig user as headers. */
import type { Identity } from './connection.ts'
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
