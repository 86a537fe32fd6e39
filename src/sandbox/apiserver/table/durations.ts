/** Ages in the format of kubectl: `42s`, `3m5s`, `2h`, `3d4h`, `410d`, `2y`. */
import type { Instant, Json } from '../../../runtime/index.ts'

export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(seconds / 60)
  if (minutes < 10) return withRest(`${minutes}m`, seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(minutes / 60)
  if (hours < 8) return withRest(`${hours}h`, minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (hours < 192) return withRest(`${days}d`, hours % 24, 'h')
  if (hours < 24 * 365 * 2) return `${days}d`
  const years = Math.trunc(hours / 24 / 365)
  if (hours < 24 * 365 * 8) return withRest(`${years}y`, days % 365, 'd')
  return `${years}y`
}

function withRest(head: string, rest: number, unit: string): string {
  return rest === 0 ? head : `${head}${rest}${unit}`
}

/** The age of a timestamp. */
export function age(time: Json | undefined, now: Instant): string {
  const instant = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(instant) ? '<unknown>' : humanDuration(now - instant)
}
