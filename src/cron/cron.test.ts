import { describe, expect, it } from 'vitest'
import { CarabinerError } from '../runtime/errors.ts'
import { type ParseOptions, parse } from './index.ts'

const start = Date.UTC(2026, 10, 1)

/** The next `count` firings as ISO text without the parts that are always zero. */
function firings(text: string, count: number, options: ParseOptions & { readonly from?: number } = {}): string[] {
  const schedule = parse(text, { zone: 'UTC', ...options })
  const times: string[] = []
  let at = options.from ?? start
  while (times.length < count) {
    const next = schedule.next(at)
    if (next === undefined) break
    times.push(new Date(next).toISOString().replace('.000Z', ''))
    at = next
  }
  return times
}

function failure(text: string): string {
  try {
    parse(text, { zone: 'UTC' })
  } catch (error) {
    if (error instanceof CarabinerError && error.code === 'CRB_CRON_INVALID') return error.message
    throw error
  }
  throw new Error(`${text} was accepted`)
}

describe('fields', () => {
  it('[addons K1] accepts five fields with second 0, and six', () => {
    expect(firings('30 12 * * *', 2)).toEqual(firings('0 30 12 * * *', 2))
    expect(firings('15 30 12 * * *', 1)).toEqual(['2026-11-01T12:30:15'])
    expect(failure('* * * *')).toContain('expected 5 or 6 fields')
    expect(failure('* * * * * * *')).toContain('found 7')
  })

  it('[addons K2] accepts stars, numbers, ranges, lists, and steps from a star, a range and a number', () => {
    expect(firings('5,10-12 0 0 * * *', 5).map((time) => time.slice(17))).toEqual(['05', '10', '11', '12', '05'])
    expect(firings('*/20 * * * * *', 3).map((time) => time.slice(17))).toEqual(['20', '40', '00'])
    expect(firings('10-30/10 * * * * *', 4).map((time) => time.slice(17))).toEqual(['10', '20', '30', '10'])
    expect(firings('5/15 * * * * *', 5).map((time) => time.slice(17))).toEqual(['05', '20', '35', '50', '05'])
    expect(firings('? ? ? ? ? ?', 2)).toEqual(firings('* * * * * *', 2))
  })

  it('[addons K3] accepts names in any case, in ranges and lists', () => {
    expect(firings('0 0 0 1 jan,Mar-APR *', 4).map((time) => time.slice(5, 7))).toEqual(['01', '03', '04', '01'])
    expect(firings('0 0 0 * * mon,Wed-FRI', 4).map((time) => time.slice(8, 10))).toEqual(['02', '04', '05', '06'])
  })

  it('[addons K4] counts days of the week from Sunday, with 7 as Sunday again, and rejects numbers out of range', () => {
    expect(firings('0 0 0 * * 0', 2)).toEqual(['2026-11-08T00:00:00', '2026-11-15T00:00:00'])
    expect(firings('0 0 0 * * 7', 2)).toEqual(firings('0 0 0 * * 0', 2))
    expect(firings('0 0 0 * * 5-7', 3).map((time) => time.slice(8, 10))).toEqual(['06', '07', '08'])
    expect(firings('0 0 0 * * 1/2', 4).map((time) => time.slice(8, 10))).toEqual(['02', '04', '06', '09'])
    expect(failure('0 0 0 * * 8')).toBe(
      'cron expression "0 0 0 * * 8": day of week "8" must be within 0-7 or a name such as MON; found "8"',
    )
    expect(failure('0 0 20-10 * * *')).toContain('hour "20-10" starts at 20, after its end 10')
    expect(failure('0 60 * * * *')).toContain('minute "60" must be within 0-59')
    expect(failure('0 0 0 0 * *')).toContain('day of month "0" must be within 1-31')
    expect(failure('0 0 0 * 13 *')).toContain('month "13" must be within 1-12')
    expect(failure('*/0 * * * * *')).toContain('second "*/0" has the step "0"')
    expect(failure('1--2 * * * * *')).toContain('too many hyphens')
    expect(failure('1/2/3 * * * * *')).toContain('too many slashes')
    expect(failure('-1 * * * * *')).toContain('must be within')
    expect(failure(', * * * * *')).toContain('is empty')
  })

  it('[addons K5] both days must match when one has a star, and one of them when both are restricted', () => {
    expect(firings('0 0 0 */2 * 1', 2)).toEqual(['2026-11-09T00:00:00', '2026-11-23T00:00:00'])
    expect(firings('0 0 0 13 * ?', 1)).toEqual(['2026-11-13T00:00:00'])
    expect(firings('0 0 0 13 * MON', 3)).toEqual(['2026-11-02T00:00:00', '2026-11-09T00:00:00', '2026-11-13T00:00:00'])
  })
})

describe('words', () => {
  it('[addons K6] accepts the words for common schedules, but not @reboot', () => {
    expect(firings('@yearly', 1)).toEqual(['2027-01-01T00:00:00'])
    expect(firings('@annually', 1)).toEqual(['2027-01-01T00:00:00'])
    expect(firings('@monthly', 1)).toEqual(['2026-12-01T00:00:00'])
    expect(firings('@weekly', 1)).toEqual(['2026-11-08T00:00:00'])
    expect(firings('@daily', 1)).toEqual(['2026-11-02T00:00:00'])
    expect(firings('@midnight', 1)).toEqual(['2026-11-02T00:00:00'])
    expect(firings('@hourly', 1)).toEqual(['2026-11-01T01:00:00'])
    expect(failure('@reboot')).toContain('"@reboot" is not known')
  })

  it('[addons K7] @every fires at multiples of its interval after the registration, on whole seconds, however long a run takes', () => {
    const anchor = start + 300
    const seconds = (text: string): string[] => firings(text, 2, { from: anchor, anchor }).map((time) => time.slice(11))
    expect(seconds('@every 1h30m10s')).toEqual(['01:30:10', '03:00:20'])
    expect(seconds('@every 1.5h')).toEqual(['01:30:00', '03:00:00'])
    expect(seconds('@every 90s')).toEqual(['00:01:30', '00:03:00'])
    expect(seconds('@every 500ms')).toEqual(['00:00:01', '00:00:02'])
    expect(seconds('@every 2.9s')).toEqual(['00:00:02', '00:00:04'])
    // After a run of 95 seconds, the next time is still a multiple of 30 seconds.
    expect(parse('@every 30s', { anchor }).next(anchor + 95_000)).toBe(start + 120_000)
    expect(parse('@every 30s').next(anchor)).toBe(start + 30_000)
    expect(failure('@every')).toContain('needs a duration')
    expect(failure('@every soon')).toContain('needs a duration')
  })
})

describe('time zones', () => {
  it('[addons K8] reads the zone from TZ= or CRON_TZ=, else from the process', () => {
    expect(firings('TZ=Asia/Tokyo 0 0 9 * * *', 1, { from: start + 1 })).toEqual(['2026-11-02T00:00:00'])
    expect(firings('CRON_TZ=Asia/Tokyo 0 9 * * *', 1, { from: start + 1 })).toEqual(['2026-11-02T00:00:00'])
    expect(firings('TZ=Asia/Tokyo @daily', 1)).toEqual(['2026-11-01T15:00:00'])
    expect(parse('@daily').zone).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone)
    expect(failure('TZ=Mars/Olympus * * * * * *')).toContain('there is no time zone "Mars/Olympus"')
  })

  it('[addons K9] omits a skipped time, fires twice at a repeated one, and stops after five years', () => {
    const skipped = firings('TZ=America/New_York 0 30 2 * * *', 2, { from: Date.UTC(2026, 2, 7, 12) })
    expect(skipped).toEqual(['2026-03-09T06:30:00', '2026-03-10T06:30:00'])
    const twice = firings('TZ=America/New_York 0 30 1 * * *', 3, { from: Date.UTC(2026, 10, 1) })
    expect(twice).toEqual(['2026-11-01T05:30:00', '2026-11-01T06:30:00', '2026-11-02T06:30:00'])
    expect(firings('0 0 0 30 2 *', 1)).toEqual([])
    expect(firings('0 0 0 29 2 *', 1, { from: Date.UTC(2096, 2, 1) })).toEqual([])
    expect(firings('0 0 0 29 2 *', 1, { from: Date.UTC(2099, 1, 1) })).toEqual(['2104-02-29T00:00:00'])
  })
})

describe('whole expressions', () => {
  it('[addons K10] fire at the expected times', () => {
    expect(firings('*/10 * * * * *', 2)).toEqual(['2026-11-01T00:00:10', '2026-11-01T00:00:20'])
    expect(firings('0 30 12 * * *', 2)).toEqual(['2026-11-01T12:30:00', '2026-11-02T12:30:00'])
    expect(firings('* 30 12 * * *', 61).slice(58)).toEqual([
      '2026-11-01T12:30:58',
      '2026-11-01T12:30:59',
      '2026-11-02T12:30:00',
    ])
    const monday = firings('* * * * * 1', 86_401)
    expect([monday[0], monday[86_399], monday[86_400]]).toEqual([
      '2026-11-02T00:00:00',
      '2026-11-02T23:59:59',
      '2026-11-09T00:00:00',
    ])
  })

  it('[addons K11] equal texts give equal times, so that entries can share a timer', () => {
    const one = parse('0 */7 * * * *', { zone: 'Europe/Berlin' })
    const other = parse('0 */7 * * * *', { zone: 'Europe/Berlin' })
    expect(one.text).toBe(other.text)
    for (let at = start; at < start + 86_400_000; at += 999_983) expect(one.next(at)).toBe(other.next(at))
  })

  it('next is strictly later than the given instant', () => {
    const schedule = parse('0 30 12 * * *', { zone: 'UTC' })
    const noon = Date.UTC(2026, 10, 1, 12, 30)
    expect(schedule.next(noon - 1)).toBe(noon)
    expect(schedule.next(noon)).toBe(noon + 86_400_000)
  })

  it('describe explains the schedule in words', () => {
    const words = (text: string): string => parse(text, { zone: 'UTC' }).describe()
    expect(words('*/10 * * * * *')).toBe('every 10 seconds (UTC)')
    expect(words('* 30 12 * * *')).toBe('every second of minute 30 of hour 12 every day (UTC)')
    expect(words('30 12 * * MON-FRI')).toBe('at 12:30:00 on Monday to Friday (UTC)')
    expect(words('0 0 0 1,15 * FRI')).toBe('at 00:00:00 on days 1 and 15 of the month and on Friday (UTC)')
    expect(words('0 0 0 13 * ?')).toBe('at 00:00:00 on day 13 of the month (UTC)')
    expect(words('0 0 0 */10 * 1')).toBe('at 00:00:00 on days 1, 11, 21 and 31 of the month, if it is a Monday (UTC)')
    expect(words('*/5 9-17 * 6-8 *')).toBe('every 5 minutes of hours 9 to 17 every day in June to August (UTC)')
    expect(words('30 * * * *')).toBe('at minute 30 of every hour (UTC)')
    expect(words('0 8-20 * * *')).toBe('at the start of hours 8 to 20 every day (UTC)')
    expect(words('@hourly')).toBe('every hour (UTC)')
    expect(words('@every 1h30m')).toBe('every hour and 30 minutes')
  })

  it('next returns quickly for dates that never occur', () => {
    const schedule = parse('0 0 0 31 2,4,6,9,11 *', { zone: 'America/New_York' })
    for (let round = 0; round < 1000; round += 1) expect(schedule.next(start + round)).toBeUndefined()
  })
})
