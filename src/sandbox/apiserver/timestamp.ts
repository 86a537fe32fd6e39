/** Formats a time as the API does: whole seconds in UTC. */
import type { Instant } from '../../runtime/index.ts'

export function timestamp(instant: Instant): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`
}
