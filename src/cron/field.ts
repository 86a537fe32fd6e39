/**
 * One field of a cron expression: a set of numbers, and whether the field contains a star, which decides how the two day fields
 * combine.
 */
import { cronError } from './errors.ts'

export interface FieldSpec {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly names?: Readonly<Record<string, number>>
  /** A larger number that is accepted in expressions: 7 is Sunday again. */
  readonly alias?: number
}

export interface Field {
  /** Sorted, without repetition. */
  readonly values: readonly number[]
  /** The field contains a star or a question mark, with or without a step. */
  readonly star: boolean
  /** The field contains all numbers. */
  readonly all: boolean
}

function named(words: string): Readonly<Record<string, number>> {
  return Object.fromEntries(words.split(' ').map((word, index) => [word, index]))
}

export const fieldSpecs = {
  second: { name: 'second', min: 0, max: 59 },
  minute: { name: 'minute', min: 0, max: 59 },
  hour: { name: 'hour', min: 0, max: 23 },
  dayOfMonth: { name: 'day of month', min: 1, max: 31 },
  month: { name: 'month', min: 1, max: 12, names: named('- jan feb mar apr may jun jul aug sep oct nov dec') },
  dayOfWeek: { name: 'day of week', min: 0, max: 6, alias: 7, names: named('sun mon tue wed thu fri sat') },
} as const satisfies Record<string, FieldSpec>

export function parseField(text: string, spec: FieldSpec, expression: string): Field {
  const values = new Set<number>()
  let star = false
  const items = text.split(',').filter((item) => item !== '')
  if (items.length === 0) throw fieldError(spec, text, expression, 'is empty')
  for (const item of items) {
    const range = parseItem(item, spec, expression)
    star ||= range.star
    for (let value = range.start; value <= range.end; value += range.step) {
      values.add(value > spec.max ? spec.min : value)
    }
  }
  const sorted = [...values].sort((a, b) => a - b)
  return { values: sorted, star, all: sorted.length === spec.max - spec.min + 1 }
}

interface Range {
  readonly start: number
  readonly end: number
  readonly step: number
  readonly star: boolean
}

function parseItem(item: string, spec: FieldSpec, expression: string): Range {
  const [range = '', stepText, ...moreSteps] = item.split('/')
  if (moreSteps.length > 0) throw fieldError(spec, item, expression, 'has too many slashes')
  const step = stepText === undefined ? 1 : parseNumber(stepText)
  if (step === undefined || step === 0) {
    throw fieldError(spec, item, expression, `has the step "${stepText}"; a step is a whole number of at least 1`)
  }
  if (range === '*' || range === '?') return { start: spec.min, end: spec.max, step, star: true }
  const [low = '', high, ...moreHyphens] = range.split('-')
  if (moreHyphens.length > 0) throw fieldError(spec, item, expression, 'has too many hyphens')
  let start = value(low, item, spec, expression)
  // `start/step` means from start to the end; 7 as start is Sunday, so 0.
  if (high === undefined && stepText !== undefined) {
    if (start > spec.max) start = spec.min
    return { start, end: spec.max, step, star: false }
  }
  const end = high === undefined ? start : value(high, item, spec, expression)
  if (start > end) {
    throw fieldError(spec, item, expression, `starts at ${start}, after its end ${end}; write two ranges instead`)
  }
  return { start, end, step, star: false }
}

function value(text: string, item: string, spec: FieldSpec, expression: string): number {
  const name = text.toLowerCase()
  if (spec.names !== undefined && name !== '-' && Object.hasOwn(spec.names, name)) return spec.names[name] ?? spec.min
  const number = parseNumber(text)
  const max = spec.alias ?? spec.max
  if (number === undefined || number < spec.min || number > max) {
    const names = spec.names === undefined ? '' : ` or a name such as ${Object.keys(spec.names)[1]?.toUpperCase()}`
    throw fieldError(spec, item, expression, `must be within ${spec.min}-${max}${names}; found "${text}"`)
  }
  return number
}

function parseNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function fieldError(spec: FieldSpec, item: string, expression: string, what: string): Error {
  return cronError(expression, `${spec.name} "${item}" ${what}`)
}
