/**
 * The date functions of jq. Broken-down time is an array: year, month from 0, day, hours, minutes, seconds, weekday, day of year.
 */
import type { Json } from '../../runtime/index.ts'
import type { Machine, Native } from '../compile/machine.ts'
import { runtimeError } from '../error.ts'
import { isArray, toDouble } from '../values/kind.ts'
import { type BrokenTime, fromSeconds, toSeconds } from './calendar.ts'
import { strftime, type Zone } from './strftime.ts'
import { strptime } from './strptime.ts'

const utc: Zone = { offset: 0, name: 'UTC' }

export const dateFunctions: Readonly<Record<string, Native>> = {
  'gmtime/0': (input) => toArray(breakDown(seconds(input, 'gmtime() requires numeric inputs'))),
  'localtime/0': (input, _args, machine) => {
    const at = seconds(input, 'localtime() requires numeric inputs')
    return toArray(breakDown(at + zoneAt(at, machine).offset))
  },
  'mktime/0': (input) => {
    if (!isArray(input)) throw runtimeError('mktime requires array inputs')
    return Math.floor(toSeconds(fromArray(input, 'mktime')))
  },
  'strftime/1': (input, [format = null]) => {
    const number = toDouble(input)
    const time = number === undefined ? broken(input, 'strftime/1') : breakDown(number)
    return strftime(formatOf(format, 'strftime/1'), time, utc)
  },
  'strflocaltime/1': (input, [format = null], machine) => {
    const number = toDouble(input)
    if (number !== undefined) {
      const zone = zoneAt(number, machine)
      return strftime(formatOf(format, 'strflocaltime/1'), breakDown(number + zone.offset), zone)
    }
    const time = broken(input, 'strflocaltime/1')
    return strftime(formatOf(format, 'strflocaltime/1'), time, zoneAt(toSeconds(time), machine))
  },
  'strptime/1': (input, [format = null]) => {
    if (typeof input !== 'string') throw runtimeError(`strptime/1 requires string inputs and arguments`)
    if (typeof format !== 'string') throw runtimeError(`strptime/1 requires string inputs and arguments`)
    const time = strptime(input, format)
    if (time === undefined) throw runtimeError(`date "${input}" does not match format "${format}"`)
    return toArray(time)
  },
}

function zoneAt(at: number, machine: Machine): Zone {
  return machine.surroundings.zone?.(at) ?? utc
}

function seconds(value: Json, message: string): number {
  const number = toDouble(value)
  if (number === undefined) throw runtimeError(message)
  return number
}

/** Converts whole seconds and adds the fraction; a time beyond the calendar gives the zero of the calendar. */
function breakDown(at: number): BrokenTime {
  const fraction = at - Math.floor(at)
  if (!(Math.abs(at) < 6.7e16)) return { ...fromArray([], ''), seconds: fraction }
  const time = fromSeconds(Math.trunc(at) + 0)
  return { ...time, seconds: time.seconds + fraction }
}

function formatOf(value: Json, name: string): string {
  if (typeof value !== 'string') throw runtimeError(`${name} requires a string format`)
  return value
}

function broken(value: Json, name: string): BrokenTime {
  if (!isArray(value)) throw runtimeError(`${name} requires parsed datetime inputs`)
  return fromArray(value, name)
}

function fromArray(value: readonly Json[], name: string): BrokenTime {
  const fields = value.map((field) => {
    const number = toDouble(field)
    if (number === undefined || Number.isNaN(number)) throw runtimeError(`${name} requires parsed datetime inputs`)
    return number
  })
  const [year = 1900, month = 0, day = 0, hours = 0, minutes = 0, second = 0, weekday = 0, yearday = 0] = fields
  const whole = [year, month, day, hours, minutes].map(Math.trunc)
  const [y = 0, m = 0, d = 0, h = 0, min = 0] = whole
  return { year: y, month: m, day: d, hours: h, minutes: min, seconds: second, weekday, yearday }
}

function toArray(time: BrokenTime): Json[] {
  return [time.year, time.month, time.day, time.hours, time.minutes, time.seconds, time.weekday, time.yearday]
}
