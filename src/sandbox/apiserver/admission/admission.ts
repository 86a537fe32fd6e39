/**
 * Admission control: plug-ins and webhooks that change or refuse an authorized request before it is stored. Mutation
 * runs before the object is validated, admission validation right before it is stored.
 */
import type { JsonObject } from '../../../runtime/index.ts'
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
  /** Adds a `Warning` header to the response. */
  warn(text: string): void
}

export interface Admission {
  /** Returns the object to continue with (undefined for deletions); throws a `StatusError` to refuse the request. */
  mutate<T extends Attributes>(attributes: T): Promise<T['object']>
  validate(attributes: Attributes): Promise<void>
}
