/**
 * `next` against the definition: strictly later, matching, and nothing in between matching. The definition is checked second by
 * second with `Intl`, in five zones, around the days on which their clocks change.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from './index.ts'

const minute = 60_000

const zones: Readonly<Record<string, readonly number[]>> = {
  'America/New_York': [Date.UTC(2026, 2, 8, 7), Date.UTC(2026, 10, 1, 6)],
  'Europe/Berlin': [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)],
  // Half an hour forward and back.
  'Australia/Lord_Howe': [Date.UTC(2026, 3, 4, 15), Date.UTC(2026, 9, 3, 15, 30)],
  // Midnight itself was skipped and repeated.
  'America/Sao_Paulo': [Date.UTC(2018, 10, 4, 3), Date.UTC(2019, 1, 17, 2)],
  'Asia/Kolkata': [Date.UTC(2026, 5, 1)],
}

interface Wall {
  readonly minute: number
  readonly hour: number
  readonly day: number
  readonly month: number
  readonly weekday: number
}

function wallClock(zone: string): (instant: number) => Wall {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  return (instant) => {
    const parts = /^(\w+), (\d+)\/(\d+), (\d+):(\d+)$/.exec(format.format(instant)) ?? []
    return {
      weekday: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(parts[1] ?? ''),
      month: Number(parts[2]),
      day: Number(parts[3]),
      hour: Number(parts[4]),
      minute: Number(parts[5]),
    }
  }
}

/** A field as text and its values, computed here independently of the parser. */
function field(min: number, max: number) {
  const number = fc.integer({ min, max })
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({ text: '*', star: true, has: (_: number) => true }) },
    { weight: 2, arbitrary: number.map((n) => ({ text: `${n}`, star: false, has: (v: number) => v === n })) },
    {
      weight: 1,
      arbitrary: fc.tuple(number, number).map(([a, b]) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)]
        return { text: `${low}-${high}`, star: false, has: (v: number) => v >= low && v <= high }
      }),
    },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 1, max: 20 }).map((step) => ({
        text: `*/${step}`,
        star: true,
        has: (v: number) => (v - min) % step === 0,
      })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(number, number).map(([a, b]) => ({
        text: `${a},${b}`,
        star: false,
        has: (v: number) => v === a || v === b,
      })),
    },
  )
}

const schedules = fc.record({
  second: field(0, 59),
  minute: field(0, 59),
  // Mostly the hours in which offsets change.
  hour: fc.oneof(field(0, 23), field(0, 4)),
  day: fc.oneof(
    { weight: 4, arbitrary: fc.constant({ text: '*', star: true, has: (_: number) => true }) },
    field(1, 31),
  ),
  month: fc.oneof(
    { weight: 6, arbitrary: fc.constant({ text: '*', star: true, has: (_: number) => true }) },
    field(1, 12),
  ),
  weekday: fc.oneof(
    { weight: 4, arbitrary: fc.constant({ text: '?', star: true, has: (_: number) => true }) },
    field(0, 6),
  ),
})

describe('next, compared with brute force', () => {
  for (const [zone, changes] of Object.entries(zones)) {
    it(`is the first match after the instant in ${zone}`, () => {
      const wall = wallClock(zone)
      const around = fc.tuple(fc.constantFrom(...changes), fc.integer({ min: -30 * 3_600_000, max: 6 * 3_600_000 }))
      fc.assert(
        fc.property(schedules, around, (fields, [change, distance]) => {
          const text = [fields.second, fields.minute, fields.hour, fields.day, fields.month, fields.weekday]
            .map((part) => part.text)
            .join(' ')
          const matchesMinute = (instant: number): boolean => {
            const at = wall(instant)
            const byDay = fields.day.has(at.day)
            const byWeek = fields.weekday.has(at.weekday)
            const day = fields.day.star || fields.weekday.star ? byDay && byWeek : byDay || byWeek
            return day && fields.minute.has(at.minute) && fields.hour.has(at.hour) && fields.month.has(at.month)
          }
          const after = change + distance
          const found = parse(text, { zone }).next(after)
          // Two days contain every offset change; later days differ only by the calendar.
          const horizon = after + 48 * 3_600_000
          let expected: number | undefined
          for (let at = Math.floor(after / minute) * minute; at < horizon && expected === undefined; at += minute) {
            if (!matchesMinute(at)) continue
            for (let second = 0; second < 60 && expected === undefined; second += 1) {
              const instant = at + second * 1000
              if (instant > after && fields.second.has(second)) expected = instant
            }
          }
          if (expected !== undefined) {
            expect(found, text).toBe(expected)
          } else if (found !== undefined) {
            expect(found, text).toBeGreaterThanOrEqual(Math.floor(horizon / minute) * minute)
            expect(matchesMinute(found) && fields.second.has((found / 1000) % 60), text).toBe(true)
          }
        }),
        { numRuns: 120 },
      )
    })
  }
})
