/** The audit entry of one request: user, resource and response code. */
import type { Instant } from '../../../runtime/index.ts'
import type { User } from '../authn/user.ts'
import type { RequestInfo } from '../rest/request-info.ts'

export interface AuditEntry {
  readonly time: Instant
  readonly user: User
  /** The real user of an impersonated request. */
  readonly impersonator?: User
  readonly verb: string
  readonly path: string
  readonly query: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly userAgent: string
  readonly code: number
}

export type Audit = (entry: AuditEntry) => void

export function auditEntry(
  facts: { readonly time: Instant; readonly user: User; readonly impersonator: User | undefined },
  info: RequestInfo,
  request: { readonly query: string; readonly userAgent: string; readonly code: number },
): AuditEntry {
  const { path, verb, group, version, resource, subresource, namespace, name } = info
  const { time, user, impersonator } = facts
  return {
    time,
    user,
    ...(impersonator === undefined ? {} : { impersonator }),
    verb,
    path,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    ...request,
  }
}
