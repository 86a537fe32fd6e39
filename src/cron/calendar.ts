/**
 * Matches the fields of a schedule against wall-clock time. Wall-clock time is represented as if it were UTC, so that plain
 * arithmetic works; the zone converts it to instants.
 */
import type { Field } from './field.ts'

export interface Fields {
  readonly second: Field
  readonly minute: Field
  readonly hour: Field
  readonly dayOfMonth: Field
  readonly month: Field
  readonly dayOfWeek: Field
}

const dayMs = 86_400_000

/** When both day fields are restricted, one match is enough; with a star in one of them, both must match. */
export function dayMatches(fields: Fields, wall: number): boolean {
  const date = new Date(wall)
  if (!fields.month.values.includes(date.getUTCMonth() + 1)) return false
  const byMonth = fields.dayOfMonth.values.includes(date.getUTCDate())
  const byWeek = fields.dayOfWeek.values.includes(date.getUTCDay())
  return fields.dayOfMonth.star || fields.dayOfWeek.star ? byMonth && byWeek : byMonth || byWeek
}

/** The first matching wall-clock time from `from` on (a whole second) and before `until`. */
export function nextMatch(fields: Fields, from: number, until: number): number | undefined {
  let today = Math.floor(from / dayMs) * dayMs
  let start = from - today
  while (today < until) {
    if (dayMatches(fields, today)) {
      const time = timeFrom(fields, start)
      if (time !== undefined) return today + time < until ? today + time : undefined
    } else if (!fields.month.values.includes(new Date(today).getUTCMonth() + 1)) {
      // Skip to the first day of the next month.
      const date = new Date(today)
      today = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
      start = 0
      continue
    }
    today += dayMs
    start = 0
  }
  return undefined
}

/** The first matching time of day at or after `start`, in milliseconds. */
function timeFrom(fields: Fields, start: number): number | undefined {
  const hourNow = Math.floor(start / 3_600_000)
  const minuteNow = Math.floor(start / 60_000) % 60
  const secondNow = Math.floor(start / 1000) % 60
  for (const hour of fields.hour.values) {
    if (hour < hourNow) continue
    for (const minute of fields.minute.values) {
      if (hour === hourNow && minute < minuteNow) continue
      const earliest = hour === hourNow && minute === minuteNow ? secondNow : 0
      const second = fields.second.values.find((candidate) => candidate >= earliest)
      if (second !== undefined) return (hour * 3600 + minute * 60 + second) * 1000
    }
  }
  return undefined
}
