/** Times as the API writes them: whole seconds, UTC. */
import type { Instant } from '../../runtime/clock.ts'

export function timestamp(instant: Instant): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`
}
