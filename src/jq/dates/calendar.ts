/**
 * Calendar arithmetic on numbers: seconds since 1970 and broken-down time, proleptic Gregorian, without clock and time zone.
 */
export interface BrokenTime {
  readonly year: number
  /** 0 to 11. */
  readonly month: number
  readonly day: number
  readonly hours: number
  readonly minutes: number
  /** May have a fraction. */
  readonly seconds: number
  /** 0 is Sunday. */
  readonly weekday: number
  /** 0 is the first of January. */
  readonly yearday: number
}

export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 1 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * ((month + 10) % 12) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** Seconds since 1970; fields outside their range carry over. */
export function toSeconds(time: Pick<BrokenTime, 'year' | 'month' | 'day' | 'hours' | 'minutes' | 'seconds'>): number {
  const year = time.year + Math.floor(time.month / 12)
  const month = ((time.month % 12) + 12) % 12
  const days = daysFromCivil(year, month, 1) + time.day - 1
  return ((days * 24 + time.hours) * 60 + time.minutes) * 60 + time.seconds
}

export function fromSeconds(seconds: number): BrokenTime {
  const days = Math.floor(seconds / 86_400)
  const rest = seconds - days * 86_400
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = (marchMonth + 2) % 12
  const year = yearOfEra + era * 400 + (month <= 1 ? 1 : 0)
  const hours = Math.floor(rest / 3600)
  const minutes = Math.floor((rest - hours * 3600) / 60)
  return {
    year,
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
    hours,
    minutes,
    seconds: rest - hours * 3600 - minutes * 60,
    weekday: (((days + 4) % 7) + 7) % 7,
    yearday: days - daysFromCivil(year, 0, 1),
  }
}

/** Week of the year and its year by ISO 8601. */
export function isoWeek(time: BrokenTime): { year: number; week: number } {
  const weekday = (time.weekday + 6) % 7
  const week = Math.floor((time.yearday - weekday + 10) / 7)
  if (week < 1) return { year: time.year - 1, week: isoWeeks(time.year - 1) }
  if (week > isoWeeks(time.year)) return { year: time.year + 1, week: 1 }
  return { year: time.year, week }
}

function isoWeeks(year: number): number {
  const first = (((daysFromCivil(year, 0, 1) + 3) % 7) + 7) % 7
  const leap = daysFromCivil(year + 1, 0, 1) - daysFromCivil(year, 0, 1) === 366
  return first === 3 || (first === 2 && leap) ? 53 : 52
}
