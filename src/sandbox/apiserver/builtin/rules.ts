/**
 * What one built-in kind does differently from the rest when it is created, changed, selected or deleted. Kinds without rules of
 * their own need no entry.
 */
import type { Instant } from '../../../runtime/clock.ts'
import type { Random } from '../../../runtime/random.ts'
import type { ApiObject } from '../object.ts'
import type { Strategy } from '../resource.ts'

export interface KindRules
  extends Pick<
    Strategy,
    'gracePeriodSeconds' | 'garbageCollection' | 'returnsDeleted' | 'held' | 'createOnUpdate' | 'unconditionalUpdate'
  > {
  /** After the status was dropped and the generation set. */
  create?(object: ApiObject, facts: CreateFacts): ApiObject
  /** After what the endpoint may not change was taken from `old`. */
  update?(object: ApiObject, old: ApiObject, subresource: string): ApiObject
  /** @default counted: changes of anything but metadata and status */
  readonly generation?: 'none' | 'counted' | 'counted with annotations'
  /** What a client sends as status on creation is kept. @default false */
  readonly keepsStatus?: boolean
  readonly names?: 'subdomain' | 'label' | 'service' | 'path'
  readonly fields?: Strategy['selectableFields']
}

export interface CreateFacts {
  readonly now: Instant
  readonly random: Random
}
