import { describe, expect, it } from 'vitest'
import { compile } from '../index.ts'
import { fromSeconds, toSeconds } from './calendar.ts'

const at = 1_425_599_621

function run(source: string, input: number | string | number[] = at): unknown {
  return compile(source).first(input)
}

describe('dates', () => {
  it('converts days like the calendar of JavaScript for four thousand years', () => {
    for (let seconds = -62_135_596_800; seconds < 64_060_588_800; seconds += 86_400 * 97 + 3_661) {
      const time = fromSeconds(seconds)
      const date = new Date(seconds * 1000)
      expect([time.year, time.month, time.day, time.hours, time.minutes, time.seconds, time.weekday]).toEqual([
        date.getUTCFullYear(),
        date.getUTCMonth(),
        date.getUTCDate(),
        date.getUTCHours(),
        date.getUTCMinutes(),
        date.getUTCSeconds(),
        date.getUTCDay(),
      ])
      expect(toSeconds(time)).toBe(seconds)
    }
  })

  it.each([
    ['%a %A %b %B %h', 'Thu Thursday Mar March Mar'],
    ['%C %d %e %j %m %y %Y', '20 05  5 064 03 15 2015'],
    ['%H %I %M %S %p %R %T %r', '23 11 53 41 PM 23:53 23:53:41 11:53:41 PM'],
    ['%D %F %c', '03/05/15 2015-03-05 Thu Mar  5 23:53:41 2015'],
    ['%G-W%V-%u %g %U %W %w', '2015-W10-4 15 09 09 4'],
    ['%s %z %Z %n%t%%', '1425599621 +0000 UTC \n\t%'],
    ['%-d %Q', '5 %Q'],
  ])('strftime %j', (format, expected) => {
    expect(run(`strftime(${JSON.stringify(format)})`)).toBe(expected)
  })

  it.each([
    ['2015-03-05T23:51:47Z', '%Y-%m-%dT%H:%M:%SZ', 1_425_599_507],
    ['Thu, 05 Mar 2015 23:51:47 +0000', '%a, %d %b %Y %H:%M:%S %z', 1_425_599_507],
    ['10/Mar/2015:01:02:03', '%d/%b/%Y:%T', 1_425_949_323],
    ['2015 64', '%Y %j', 1_425_513_600],
    ['12:30 PM', '%I:%M %p', 45_000],
    ['1425599621', '%s', at],
  ])('strptime %s', (text, format, expected) => {
    expect(run(`strptime(${JSON.stringify(format)}) | mktime`, text)).toBe(expected)
  })

  it('formats years with four digits', () => {
    expect(['-62135596801', '253402300799', '253402300800'].map((text) => run('tonumber | todate', text))).toEqual([
      '0000-12-31T23:59:59Z',
      '9999-12-31T23:59:59Z',
      '+10000-01-01T00:00:00Z',
    ])
  })

  it('rejects text that does not match the format', () => {
    expect(run('try strptime("%Y") catch .', '2015x')).toBe('date "2015x" does not match format "%Y"')
    expect(run('try strptime("%d") catch .', '32')).toBe('date "32" does not match format "%d"')
  })

  it('uses the local time of the caller', () => {
    const zone = () => ({ offset: 3_600, name: 'CET' })
    const local = (source: string) => compile(source, { zone }).first(0)
    expect(local('localtime')).toEqual([1970, 0, 1, 1, 0, 0, 4, 0])
    expect(local('strflocaltime("%H %z %Z")')).toBe('01 +0100 CET')
    expect(run('strflocaltime("%H %z %Z")', 0)).toBe('00 +0000 UTC')
  })
})
