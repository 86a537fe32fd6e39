/** What a cluster serves. */
import type { ResourceType } from '../object.ts'

export interface DiscoveredResource extends ResourceType {
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly verbs: readonly string[]
  /** Names below an object, for example `status` and `scale`. */
  readonly subresources: readonly string[]
}

/** In the server's order of preference: groups by priority, versions preferred first. */
export type Catalog = readonly DiscoveredResource[]
