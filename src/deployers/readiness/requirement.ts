/** One requirement of a custom check: a path into the object, an operator, values. Both spellings of the operators are understood. */
import { equal } from '../../patch/equal.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import type { Json } from '../../runtime/json.ts'
import { compileJsonPath, type JsonPath } from '../jsonpath/path.ts'

export interface RequirementSpec {
  readonly jsonPath: string
  readonly operator: string
  readonly values?: readonly { readonly value: Json }[]
}

type Operator = 'in' | 'notin' | '=' | '!=' | 'exists' | '!'

export interface Requirement {
  readonly path: JsonPath
  readonly operator: Operator
  readonly values: readonly Json[]
}

const operators: Readonly<Record<string, Operator>> = {
  in: 'in',
  In: 'in',
  notin: 'notin',
  notIn: 'notin',
  NotIn: 'notin',
  '=': '=',
  '==': '=',
  Equals: '=',
  DoubleEquals: '=',
  '!=': '!=',
  NotEquals: '!=',
  exists: 'exists',
  Exists: 'exists',
  '!': '!',
  DoesNotExist: '!',
}

/** What is wrong with it, or the requirement itself. */
export function compileRequirement(spec: RequirementSpec): Requirement | string {
  const operator = Object.hasOwn(operators, spec.operator) ? operators[spec.operator] : undefined
  if (operator === undefined) return `operator is "${spec.operator}", not one of in, notin, =, ==, !=, exists, !`
  const values = (spec.values ?? []).map(({ value }) => value)
  if ((operator === 'in' || operator === 'notin') && values.length === 0)
    return `values are missing for ${spec.operator}`
  if ((operator === '=' || operator === '!=') && values.length !== 1)
    return `values has ${values.length} entries, but ${spec.operator} needs exactly one`
  if ((operator === 'exists' || operator === '!') && values.length > 0)
    return `values must be empty for ${spec.operator}`
  return { path: compileJsonPath(spec.jsonPath), operator, values }
}

/** Why the requirement does not hold, or undefined when it does. As with labels, what is absent is neither equal nor in. */
export function unmet({ path, operator, values }: Requirement, object: Json): string | undefined {
  const found = foundBy(path, object)
  if (typeof found === 'string') return found
  const isIn = (value: Json) => values.some((wanted) => equal(wanted, value))
  const holds = {
    exists: found.length > 0,
    '!': found.length === 0,
    in: found.length > 0 && found.every(isIn),
    '=': found.length > 0 && found.every(isIn),
    notin: !found.some(isIn),
    '!=': !found.some(isIn),
  }[operator]
  if (holds) return undefined
  const wanted = values.map((value) => JSON.stringify(value)).join(', ')
  const is = found.length === 0 ? 'absent' : found.map((value) => shown(value)).join(', ')
  return `${path.text} is ${is}, wanted ${[operator, wanted].filter((part) => part !== '').join(' ')}`
}

/** An object that does not have the shape yet is not ready, and why is worth knowing. */
function foundBy(path: JsonPath, object: Json): readonly Json[] | string {
  try {
    return path.find(object)
  } catch (error) {
    if (error instanceof CarabinerError) return error.message
    throw error
  }
}

/** A value may be a whole object; a message is read by people. */
function shown(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`
}
