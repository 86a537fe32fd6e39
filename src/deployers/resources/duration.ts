/** Durations in the Landscaper resources: the format of Go, or `none`, which is 0 and means no limit. */
import { parseDuration } from '../../cron/index.ts'

/** Milliseconds; 0 for `none`; undefined for invalid and negative durations. */
export function readDuration(text: string): number | undefined {
  if (text === 'none') return 0
  const parsed = parseDuration(text)
  return parsed === undefined || parsed < 0 ? undefined : parsed
}

/** `none` for 0, otherwise Go's format: `10m0s`. */
export function writeDuration(milliseconds: number): string {
  if (milliseconds === 0) return 'none'
  if (milliseconds < 1000) return `${milliseconds}ms`
  const hours = Math.floor(milliseconds / 3_600_000)
  const minutes = Math.floor(milliseconds / 60_000) % 60
  const seconds = Math.round(milliseconds % 60_000) / 1000
  const tail = `${seconds}s`
  if (hours > 0) return `${hours}h${minutes}m${tail}`
  return minutes > 0 ? `${minutes}m${tail}` : tail
}
