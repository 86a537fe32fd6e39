/**
 * One requirement of a custom check: a path into the object, an operator and values. Accepts the operator names of Kubernetes and of
 * Landscaper.
 */
import { equal } from '../../patch/index.ts'
import { CarabinerError, type Json } from '../../runtime/index.ts'
import type { StepBudget } from '../jsonpath/budget.ts'
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

/** The requirement, or a message that says why it is invalid. */
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

/**
 * Why the object does not meet the requirement; undefined when it does. As with label selectors, a missing value is neither equal nor in.
 */
export function whyNotMet(
  { path, operator, values }: Requirement,
  object: Json,
  budget: StepBudget,
): string | undefined {
  const found = findValues(path, object, budget)
  if (typeof found === 'string') return found
  const isIn = (value: Json) =>
    values.some((expected) => {
      budget.spendOn(expected, path.text)
      return equal(expected, value)
    })
  const holds = {
    exists: found.length > 0,
    '!': found.length === 0,
    in: found.length > 0 && found.every(isIn),
    '=': found.length > 0 && found.every(isIn),
    notin: !found.some(isIn),
    '!=': !found.some(isIn),
  }[operator]
  if (holds) return undefined
  const expectedValues = values.map((value) => shortened(value)).join(', ')
  const shown = found.slice(0, maxShownValues).map((value) => shortened(value))
  const more = found.length > maxShownValues ? [`and ${found.length - maxShownValues} more`] : []
  const is = found.length === 0 ? 'absent' : [...shown, ...more].join(', ')
  return `${path.text} is ${is}, expected ${[operator, expectedValues].filter((part) => part !== '').join(' ')}`
}

/** An object without the expected structure is not ready yet, so the mismatch becomes the reason. */
function findValues(path: JsonPath, object: Json, budget: StepBudget): readonly Json[] | string {
  try {
    return path.find(object, budget)
  } catch (error) {
    if (error instanceof CarabinerError && error.code === 'CRB_JSONPATH_MISMATCH') return error.message
    throw error
  }
}

const maxShownValues = 5

/** Shortens long values for messages. */
function shortened(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`
}
