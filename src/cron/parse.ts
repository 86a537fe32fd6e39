/**
 * Parses cron expressions in the dialect of robfig/cron v2: five or six fields, names, steps, `@` words, `@every`, and a time zone
 * prefix.
 */
import type { Instant } from '../runtime/index.ts'
import type { Fields } from './calendar.ts'
import { parseDuration } from './duration.ts'
import { cronError } from './errors.ts'
import { fieldSpecs, parseField } from './field.ts'
import { CalendarSchedule, IntervalSchedule, type Schedule } from './schedule.ts'
import { localZoneName, Zone } from './zone.ts'

export interface ParseOptions {
  /**
   * IANA zone for expressions without `TZ=`.
   * @default the zone of this process
   */
  readonly zone?: string
  /**
   * When the schedule was registered: `@every` fires at multiples of its interval after this instant. Without an anchor it counts
   * from the instant passed to `next`.
   */
  readonly anchor?: Instant
}

const words = new Map([
  ['@yearly', '0 0 0 1 1 *'],
  ['@annually', '0 0 0 1 1 *'],
  ['@monthly', '0 0 0 1 * *'],
  ['@weekly', '0 0 0 * * 0'],
  ['@daily', '0 0 0 * * *'],
  ['@midnight', '0 0 0 * * *'],
  ['@hourly', '0 0 * * * *'],
])

/**
 * @throws CarabinerError `CRB_CRON_INVALID`, naming the field, its value and what is allowed
 * @example parse('TZ=Europe/Berlin 0 30 12 * * MON-FRI').next(clock.now())
 */
export function parse(text: string, options: ParseOptions = {}): Schedule {
  let rest = text.trim()
  let zoneName = options.zone ?? localZoneName()
  const prefix = /^(?:CRON_)?TZ=(\S*)(?:\s+|$)/.exec(rest)
  if (prefix !== null) {
    zoneName = prefix[1] ?? ''
    rest = rest.slice(prefix[0].length)
  }
  const zone = findZone(zoneName, text)
  if (rest.startsWith('@every')) return parseInterval(rest, text, options.anchor)
  if (rest.startsWith('@')) {
    const fields = words.get(rest)
    if (fields === undefined) {
      throw cronError(text, `"${rest}" is not known; expected ${[...words.keys()].join(', ')} or @every <duration>`)
    }
    return new CalendarSchedule(text, parseFields(fields, text), zone)
  }
  return new CalendarSchedule(text, parseFields(rest, text), zone)
}

function parseInterval(rest: string, text: string, anchor: Instant | undefined): Schedule {
  const duration = /^@every\s+(\S+)$/.exec(rest)?.[1]
  const milliseconds = duration === undefined ? undefined : parseDuration(duration)
  if (milliseconds === undefined) {
    throw cronError(text, `"${rest}" needs a duration such as 1h30m10s, 1.5h, 90s or 500ms`)
  }
  return new IntervalSchedule(text, Math.max(1, Math.floor(milliseconds / 1000)) * 1000, anchor)
}

function parseFields(rest: string, text: string): Fields {
  const given = rest === '' ? [] : rest.split(/\s+/)
  if (given.length !== 5 && given.length !== 6) {
    throw cronError(
      text,
      `expected 5 or 6 fields ([second] minute hour day-of-month month day-of-week), found ${given.length}`,
    )
  }
  const fields = given.length === 5 ? ['0', ...given] : given
  const [second = '', minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = fields
  return {
    second: parseField(second, fieldSpecs.second, text),
    minute: parseField(minute, fieldSpecs.minute, text),
    hour: parseField(hour, fieldSpecs.hour, text),
    dayOfMonth: parseField(dayOfMonth, fieldSpecs.dayOfMonth, text),
    month: parseField(month, fieldSpecs.month, text),
    dayOfWeek: parseField(dayOfWeek, fieldSpecs.dayOfWeek, text),
  }
}

const zones = new Map<string, Zone>()

/** Zones are shared, because their offsets are expensive to compute. */
function findZone(name: string, text: string): Zone {
  const known = zones.get(name)
  if (known !== undefined) return known
  try {
    const zone = new Zone(name)
    zones.set(name, zone)
    return zone
  } catch {
    throw cronError(text, `there is no time zone "${name}"; expected a name such as UTC or Europe/Berlin`)
  }
}
