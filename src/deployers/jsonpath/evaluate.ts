/** Steps applied to a document. What is missing leads nowhere; what is of the wrong kind is an error that names the path. */
import { equal } from '../../patch/equal.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import { isJsonObject, type Json } from '../../runtime/json.ts'
import type { Filter, Operand, Step } from './steps.ts'

/** The document does not have the shape that the path needs. */
class Mismatch extends CarabinerError {
  constructor(path: string, problem: string) {
    super('CRB_JSONPATH_MISMATCH', `JSON path "${path}": ${problem}.`)
  }
}

export function evaluate(steps: readonly Step[], document: Json, path: string): readonly Json[] {
  return walk(steps, [document], { document, path })
}

interface Place {
  readonly document: Json
  readonly path: string
}

function walk(steps: readonly Step[], start: readonly Json[], place: Place): readonly Json[] {
  let values = start
  for (const step of steps) {
    if (values.length === 0) return values
    values = values.flatMap((value) => next(step, value, place))
  }
  return values
}

function next(step: Step, value: Json, place: Place): readonly Json[] {
  switch (step.kind) {
    case 'field': {
      const found = isJsonObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined
      return found === undefined ? [] : [found]
    }
    case 'wildcard':
      return children(value)
    case 'descend':
      return descend(value)
    case 'union':
      return step.parts.flatMap((part) => walk(part, [value], place))
    case 'element':
      return value === null ? [] : element(listIn(value, place), step.index)
    case 'slice':
      return value === null ? [] : slice(listIn(value, place), step, place)
    case 'filter':
      return value === null ? [] : listIn(value, place).filter((item) => passes(step.filter, item, place))
  }
}

function children(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[]
  return isJsonObject(value) ? Object.values(value) : []
}

/** The value and everything below it that has something below it, as kubectl counts. */
function descend(value: Json): readonly Json[] {
  const below = children(value)
  return below.length === 0 ? [] : [value, ...below.flatMap(descend)]
}

function listIn(value: Json, place: Place): readonly Json[] {
  if (!Array.isArray(value)) throw new Mismatch(place.path, `${nameOf(value)} is not a list`)
  return value as readonly Json[]
}

/** A list may grow yet, so that an element beyond its end is simply not there. */
function element(list: readonly Json[], index: number): readonly Json[] {
  const found = list[index < 0 ? index + list.length : index]
  return found === undefined ? [] : [found]
}

function slice(list: readonly Json[], { from = 0, to, step = 1 }: Step & { kind: 'slice' }, place: Place) {
  if (step <= 0) throw new Mismatch(place.path, `the step of a range must be above 0, not ${step}`)
  return list.slice(from, to).filter((_, index) => index % step === 0)
}

function passes({ left, comparison, right }: Filter, item: Json, place: Place): boolean {
  const lefts = valuesOf(left, item, place)
  if (comparison === undefined || right === undefined) return lefts.length > 0
  const rights = valuesOf(right, item, place)
  if (lefts.length > 1 || rights.length > 1)
    throw new Mismatch(place.path, 'a filter compares one value with one value')
  const [a] = lefts
  const [b] = rights
  if (a === undefined || b === undefined) return false
  if (comparison === '==') return equal(a, b)
  if (comparison === '!=') return !equal(a, b)
  const comparable = (typeof a === 'number' || typeof a === 'string') && typeof a === typeof b
  if (!comparable) throw new Mismatch(place.path, `${nameOf(a)} and ${nameOf(b)} have no order`)
  const [x, y] = [a, b as typeof a]
  if (comparison === '<') return x < y
  if (comparison === '<=') return x <= y
  return comparison === '>' ? x > y : x >= y
}

function valuesOf(operand: Operand, item: Json, place: Place): readonly Json[] {
  if (operand.kind === 'literal') return [operand.value]
  return walk(operand.steps, [operand.absolute ? place.document : item], place)
}

function nameOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
