/** Durations of the programming interface are numbers of milliseconds. JavaScript would take `'2h'` for NaN and never wait, or never end. */
import { CarabinerError } from './errors.ts'

/** The value, if it is a number of milliseconds; `name` is the field or parameter. */
export function checkedMs(name: string, value: number): number {
  if (typeof value === 'number' && !Number.isNaN(value)) return value
  const given = typeof value === 'string' ? JSON.stringify(value) : String(value)
  throw new CarabinerError('CRB_DURATION_INVALID', `${name} is ${given} but must be a number of milliseconds`)
}

/** Checks the fields that are set. */
export function checkMs<K extends string>(options: Readonly<Partial<Record<K, number>>>, fields: readonly K[]): void {
  for (const field of fields) {
    const value = options[field]
    if (value !== undefined) checkedMs(field, value)
  }
}
