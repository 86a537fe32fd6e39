/**
 * Parses broken-down time like `strptime` of C in the C locale. Fields that are not in the format have their smallest value; day of week
 * and day of year are computed.
 */
import { type BrokenTime, fromSeconds, toSeconds } from './calendar.ts'
import { dayNames, monthNames } from './names.ts'

interface Fields {
  year: number
  month: number
  day: number
  hours: number
  minutes: number
  seconds: number
  afternoon: boolean | undefined
  century: number | undefined
  yearday: number | undefined
  epoch: number | undefined
}

const composed: Readonly<Record<string, string>> = {
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  R: '%H:%M',
  T: '%H:%M:%S',
  c: '%a %b %e %H:%M:%S %Y',
  r: '%I:%M:%S %p',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
}

/** Undefined when the text does not match the whole format. */
export function strptime(text: string, format: string): BrokenTime | undefined {
  const fields: Fields = {
    year: 1970,
    month: 0,
    day: 1,
    hours: 0,
    minutes: 0,
    seconds: 0,
    afternoon: undefined,
    century: undefined,
    yearday: undefined,
    epoch: undefined,
  }
  const rest = read(text, format, fields)
  if (rest !== '') return undefined
  if (fields.epoch !== undefined) return fromSeconds(fields.epoch)
  if (fields.afternoon !== undefined) fields.hours = (fields.hours % 12) + (fields.afternoon ? 12 : 0)
  if (fields.yearday !== undefined) {
    return fromSeconds(toSeconds({ ...fields, month: 0, day: fields.yearday + 1 }))
  }
  const { weekday, yearday } = fromSeconds(toSeconds(fields))
  return { ...fields, weekday, yearday }
}

function read(text: string, format: string, fields: Fields): string | undefined {
  let rest = text
  for (let i = 0; i < format.length; i += 1) {
    const character = format.charAt(i)
    if (isSpace(format.charCodeAt(i))) rest = rest.trimStart()
    else if (character !== '%') {
      if (!rest.startsWith(character)) return undefined
      rest = rest.slice(1)
    } else {
      i += 1
      while (/[EO_0^#-]/.test(format.charAt(i))) i += 1
      const after = readField(rest, format.charAt(i), fields)
      if (after === undefined) return undefined
      rest = after
    }
  }
  return rest
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function readField(text: string, letter: string, fields: Fields): string | undefined {
  const part = composed[letter]
  if (part !== undefined) return read(text, part, fields)
  const number = (digits: number, min: number, max: number, store: (value: number) => void) => {
    let begin = 0
    while (isSpace(text.charCodeAt(begin))) begin += 1
    if (text.charAt(begin) === '-' || text.charAt(begin) === '+') begin += 1
    let end = begin
    while (end < begin + digits && isDigit(text.charCodeAt(end))) end += 1
    const value = Number(text.slice(0, end))
    if (end === begin || value < min || value > max) return undefined
    store(value)
    return text.slice(end)
  }
  const name = (names: readonly string[], store: (index: number) => void) => {
    const lower = text.toLowerCase()
    for (const [index, candidate] of names.entries()) {
      for (const form of [candidate, candidate.slice(0, 3)]) {
        if (lower.startsWith(form.toLowerCase())) {
          store(index)
          return text.slice(form.length)
        }
      }
    }
    return undefined
  }
  const set =
    (key: 'year' | 'month' | 'day' | 'hours' | 'minutes' | 'seconds', shift = 0) =>
    (value: number) => {
      fields[key] = value + shift
    }
  const ignore = () => undefined
  switch (letter) {
    case 'a':
    case 'A':
      return name(dayNames, ignore)
    case 'b':
    case 'B':
    case 'h':
      return name(monthNames, set('month'))
    case 'd':
    case 'e':
      return number(2, 1, 31, set('day'))
    case 'H':
    case 'k':
      return number(2, 0, 23, set('hours'))
    case 'I':
    case 'l':
      return number(2, 1, 12, set('hours'))
    case 'j':
      return number(3, 1, 366, (value) => {
        fields.yearday = value - 1
      })
    case 'm':
      return number(2, 1, 12, set('month', -1))
    case 'M':
      return number(2, 0, 59, set('minutes'))
    case 'S':
      return number(2, 0, 61, set('seconds'))
    case 's':
      return number(18, -8.64e12, 8.64e12, (value) => {
        fields.epoch = value
      })
    case 'y':
      return number(2, 0, 99, (value) => {
        fields.year = value + (value < 69 ? 2000 : 1900)
      })
    case 'Y':
      return number(4, -9999, 9999, set('year'))
    case 'u':
    case 'w':
      return number(1, 0, 7, ignore)
    case 'U':
    case 'V':
    case 'W':
      return number(2, 0, 53, ignore)
    case 'G':
      return number(4, 0, 9999, ignore)
    case 'p':
    case 'P': {
      const half = /^([ap])\.?m\.?/i.exec(text)
      if (half === null) return undefined
      fields.afternoon = half[1]?.toLowerCase() === 'p'
      return text.slice(half[0].length)
    }
    case 'n':
    case 't':
      return text.trimStart()
    case 'z': {
      const zone = /^\s*(?:Z|[+-]\d{2}(?::?\d{2})?)/.exec(text)
      return zone === null ? undefined : text.slice(zone[0].length)
    }
    case 'Z': {
      const zone = /^[A-Za-z]+/.exec(text)
      return zone === null ? undefined : text.slice(zone[0].length)
    }
    case '%':
      return text.startsWith('%') ? text.slice(1) : undefined
    default:
      return undefined
  }
}
