/** Timestamps in the formats of the API: whole seconds for `Time`, microseconds for `MicroTime`. */
import type { Instant } from '../../runtime/index.ts'

export function timestamp(now: Instant): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`
}

export function microTimestamp(now: Instant): string {
  return `${new Date(now).toISOString().slice(0, 23)}000Z`
}

/** Milliseconds since the epoch; undefined when the field is absent. */
export function instantOf(time: string | null | undefined): Instant | undefined {
  return time === undefined || time === null ? undefined : Date.parse(time)
}
