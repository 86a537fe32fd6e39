/**
 * Formats broken-down time like `strftime` of C in the C locale.
 */
import { type BrokenTime, isoWeek, toSeconds } from './calendar.ts'
import { dayNames, monthNames } from './names.ts'

export interface Zone {
  /** Seconds ahead of UTC. */
  readonly offset: number
  readonly name: string
}

function pad(value: number, width: number, fill = '0'): string {
  const digits = String(Math.abs(Math.trunc(value))).padStart(width, fill)
  return value < 0 ? `-${digits}` : digits
}

export function strftime(format: string, time: BrokenTime, zone: Zone): string {
  return format.replace(/%[-_0^#EO]?([A-Za-z%+])/g, (whole, letter: string) => {
    const text = field(letter, time, zone) ?? whole
    if (whole.startsWith('%-')) return text.replace(/^[0 ]+(?=.)/, '')
    return whole.startsWith('%^') ? text.toUpperCase() : text
  })
}

function field(letter: string, time: BrokenTime, zone: Zone): string | undefined {
  const compose = (format: string) => strftime(format, time, zone)
  const hour12 = time.hours % 12 === 0 ? 12 : time.hours % 12
  switch (letter) {
    case 'a':
      return (dayNames[time.weekday] ?? '?').slice(0, 3)
    case 'A':
      return dayNames[time.weekday] ?? '?'
    case 'b':
    case 'h':
      return (monthNames[time.month] ?? '?').slice(0, 3)
    case 'B':
      return monthNames[time.month] ?? '?'
    case 'c':
      return compose('%a %b %e %H:%M:%S %Y')
    case 'C':
      return pad(Math.floor(time.year / 100), 2)
    case 'd':
      return pad(time.day, 2)
    case 'D':
    case 'x':
      return compose('%m/%d/%y')
    case 'e':
      return pad(time.day, 2, ' ')
    case 'F':
      return compose('%Y-%m-%d')
    case 'g':
      return pad(isoWeek(time).year % 100, 2)
    case 'G':
      return String(isoWeek(time).year)
    case 'H':
      return pad(time.hours, 2)
    case 'I':
      return pad(hour12, 2)
    case 'j':
      return pad(time.yearday + 1, 3)
    case 'k':
      return pad(time.hours, 2, ' ')
    case 'l':
      return pad(hour12, 2, ' ')
    case 'm':
      return pad(time.month + 1, 2)
    case 'M':
      return pad(time.minutes, 2)
    case 'n':
      return '\n'
    case 'p':
      return time.hours < 12 ? 'AM' : 'PM'
    case 'P':
      return time.hours < 12 ? 'am' : 'pm'
    case 'r':
      return compose('%I:%M:%S %p')
    case 'R':
      return compose('%H:%M')
    case 's':
      return String(Math.floor(toSeconds(time) - zone.offset))
    case 'S':
      return pad(time.seconds, 2)
    case 't':
      return '\t'
    case 'T':
    case 'X':
      return compose('%H:%M:%S')
    case 'u':
      return String(time.weekday === 0 ? 7 : time.weekday)
    case 'U':
      return pad(Math.floor((time.yearday + 7 - time.weekday) / 7), 2)
    case 'V':
      return pad(isoWeek(time).week, 2)
    case 'w':
      return String(time.weekday)
    case 'W':
      return pad(Math.floor((time.yearday + 7 - ((time.weekday + 6) % 7)) / 7), 2)
    case 'y':
      return pad(((time.year % 100) + 100) % 100, 2)
    case 'Y':
      return time.year > 9999 ? `+${time.year}` : pad(time.year, time.year < 0 ? 3 : 4)
    case 'z': {
      const minutes = Math.trunc(Math.abs(zone.offset) / 60)
      return `${zone.offset < 0 ? '-' : '+'}${pad(Math.trunc(minutes / 60), 2)}${pad(minutes % 60, 2)}`
    }
    case 'Z':
      return zone.name
    case '+':
      return compose('%a %b %e %H:%M:%S %Z %Y')
    case '%':
      return '%'
    default:
      return undefined
  }
}
