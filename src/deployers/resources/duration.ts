/** Durations of the landscaper's resources: what Go understands, or `none`, which is zero and means that there is no limit. */
import { parseDuration } from '../../cron/duration.ts'

/** Milliseconds; 0 for `none`; undefined for what is no duration or a negative one. */
export function readDuration(text: string): number | undefined {
  if (text === 'none') return 0
  const parsed = parseDuration(text)
  return parsed === undefined || parsed < 0 ? undefined : parsed
}

/** `none` for zero, otherwise Go's long form: `10m0s`. */
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
