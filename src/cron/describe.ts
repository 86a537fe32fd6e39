/** Describes a schedule in words, so that users can check what an expression means. */
import type { Fields } from './calendar.ts'
import type { Field } from './field.ts'

const monthNames = 'January February March April May June July August September October November December'.split(' ')
const dayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** For example `at 12:30:00 on Monday to Friday (Europe/Berlin)`. */
export function describeFields(fields: Fields, zone: string): string {
  return [describeTime(fields), describeDays(fields), describeMonths(fields), `(${zone})`]
    .filter((part) => part !== '')
    .join(' ')
}

export function describeInterval(milliseconds: number): string {
  const seconds = milliseconds / 1000
  const parts = [
    [Math.floor(seconds / 3600), 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ] as const
  const words = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => plural(amount, unit))
  return `every ${joined(words)}`
}

function describeTime({ second, minute, hour }: Fields): string {
  const times = second.values.length * minute.values.length * hour.values.length
  if (times <= 6) {
    const all = hour.values.flatMap((h) =>
      minute.values.flatMap((m) =>
        second.values.map((s) => [h, m, s].map((part) => String(part).padStart(2, '0')).join(':')),
      ),
    )
    return `at ${joined(all)}`
  }
  const parts: string[] = []
  const onTheMinute = second.values.length === 1 && second.values[0] === 0
  const onTheHour = onTheMinute && minute.values.length === 1 && minute.values[0] === 0
  if (!onTheMinute) parts.push(unitPhrase(second, 'second', 59))
  if (!onTheHour && !(minute.all && parts.length > 0)) parts.push(unitPhrase(minute, 'minute', 59))
  if (!hour.all || onTheHour) parts.push(unitPhrase(hour, 'hour', 23))
  else if (minute.values.length === 1) parts.push('every hour')
  const [first = '', ...rest] = parts
  const start = first.startsWith('every') ? first : `at ${onTheHour ? 'the start of ' : ''}${first}`
  return [start, ...rest.map((part) => `of ${part}`)].join(' ')
}

function unitPhrase(field: Field, unit: string, max: number): string {
  if (field.all) return `every ${unit}`
  const [first = 0, next = 0] = field.values
  const step = next - first
  const regular = field.values.length > 2 && field.values.every((value, index) => value === first + index * step)
  if (regular && step > 1) {
    const last = field.values.at(-1) ?? first
    const every = `every ${plural(step, unit)}`
    if (first === 0 && last + step > max) return every
    return last + step > max
      ? `every ${step} ${unit}s from ${unit} ${first}`
      : `every ${step} ${unit}s from ${unit} ${first} to ${last}`
  }
  return `${unit}${field.values.length > 1 ? 's' : ''} ${ranges(field.values, String)}`
}

function describeDays({ hour, dayOfMonth, dayOfWeek }: Fields): string {
  const days = `on day${dayOfMonth.values.length > 1 ? 's' : ''} ${ranges(dayOfMonth.values, String)} of the month`
  const weekdays = ranges(dayOfWeek.values, (value) => dayNames[value] ?? '')
  if (dayOfMonth.star || dayOfWeek.star) {
    if (dayOfMonth.all && dayOfWeek.all) return hour.all ? '' : 'every day'
    if (dayOfMonth.all) return `on ${weekdays}`
    return dayOfWeek.all ? days : `${days}, if it is a ${weekdays.replaceAll(' and ', ' or ')}`
  }
  return `${days} and on ${weekdays}`
}

function describeMonths({ month }: Fields): string {
  return month.all ? '' : `in ${ranges(month.values, (value) => monthNames[value - 1] ?? '')}`
}

/** `1, 3 to 5 and 9`. */
function ranges(values: readonly number[], name: (value: number) => string): string {
  const parts: string[] = []
  for (let index = 0; index < values.length; ) {
    let end = index
    while ((values[end + 1] ?? -1) === (values[end] ?? 0) + 1) end += 1
    const start = name(values[index] ?? 0)
    if (end - index > 1) parts.push(`${start} to ${name(values[end] ?? 0)}`)
    else for (let at = index; at <= end; at += 1) parts.push(name(values[at] ?? 0))
    index = end + 1
  }
  return joined(parts)
}

function joined(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

function plural(amount: number, unit: string): string {
  return amount === 1 ? unit : `${amount} ${unit}s`
}
