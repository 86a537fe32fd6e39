/**
 * What stands between a request that is allowed and the storage: plug-ins and webhooks that change or refuse it. Mutation happens
 * before validation of the object, validation right before it is kept.
 */
import type { JsonObject } from '../../../runtime/json.ts'
import type { User } from '../authn/user.ts'
import type { ApiObject } from '../object.ts'
import type { ServedResource, Subresource } from '../resource.ts'

export interface Attributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly resource: ServedResource
  readonly subresource: Subresource | undefined
  readonly namespace: string
  readonly name: string
  /** In the version of the request; undefined for deletions. */
  readonly object: ApiObject | undefined
  readonly old: ApiObject | undefined
  readonly user: User
  readonly dryRun: boolean
  /** The CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request. */
  readonly options: JsonObject
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void
}

export interface Admission {
  /** The object to go on with (undefined for deletions); throws a `StatusError` to refuse. */
  mutate<T extends Attributes>(attributes: T): Promise<T['object']>
  validate(attributes: Attributes): Promise<void>
}
