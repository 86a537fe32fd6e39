/** Applies the steps of a path to a document. A missing field gives no value; a value of the wrong type is an error that names the path. */
import { equal } from '../../patch/index.ts'
import { CarabinerError, isJsonObject, type Json } from '../../runtime/index.ts'
import { limitError, maxFound, type StepBudget } from './budget.ts'
import type { Filter, Operand, Step } from './steps.ts'

/** The document does not have the shape that the path needs. */
class Mismatch extends CarabinerError {
  constructor(path: string, problem: string) {
    super('CRB_JSONPATH_MISMATCH', `JSON path "${path}": ${problem}.`)
  }
}

export interface Evaluation {
  /** The text of the path, for messages. */
  readonly path: string
  readonly budget: StepBudget
}

export function evaluate(steps: readonly Step[], document: Json, evaluation: Evaluation): readonly Json[] {
  const found = walk(steps, [document], { ...evaluation, document })
  if (found.length > maxFound) throw limitError(evaluation.path, `finds more than ${maxFound} values`)
  return found
}

interface EvaluationContext extends Evaluation {
  readonly document: Json
}

function walk(steps: readonly Step[], start: readonly Json[], context: EvaluationContext): readonly Json[] {
  let values = start
  for (const step of steps) {
    if (values.length === 0) return values
    const following: Json[] = []
    for (const value of values) {
      const found = next(step, value, context)
      context.budget.spend(1 + found.length, context.path)
      for (const one of found) following.push(one)
    }
    values = following
  }
  return values
}

function next(step: Step, value: Json, context: EvaluationContext): readonly Json[] {
  switch (step.kind) {
    case 'field': {
      const found = isJsonObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined
      return found === undefined ? [] : [found]
    }
    case 'wildcard':
      return children(value)
    case 'descend':
      return descend(value, context)
    case 'union':
      return step.parts.flatMap((part) => walk(part, [value], context))
    case 'element':
      return value === null ? [] : element(listIn(value, context), step.index)
    case 'slice':
      return value === null ? [] : slice(listIn(value, context), step, context)
    case 'filter':
      return value === null ? [] : listIn(value, context).filter((item) => passes(step.filter, item, context))
  }
}

function children(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[]
  return isJsonObject(value) ? Object.values(value) : []
}

/** The value and all its descendants that have children, as in kubectl. */
function descend(start: Json, { budget, path }: EvaluationContext): readonly Json[] {
  const found: Json[] = []
  const waiting: Json[] = [start]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    const below = children(value)
    budget.spend(1 + below.length, path)
    if (below.length === 0) continue
    found.push(value)
    // Last in, first out: the first child is the next one.
    for (let index = below.length - 1; index >= 0; index -= 1) waiting.push(below[index] as Json)
  }
  return found
}

function listIn(value: Json, context: EvaluationContext): readonly Json[] {
  if (!Array.isArray(value)) throw new Mismatch(context.path, `${nameOf(value)} is not a list`)
  return value as readonly Json[]
}

/** An index beyond the end gives no value instead of an error, because the list may still grow. */
function element(list: readonly Json[], index: number): readonly Json[] {
  const found = list[index < 0 ? index + list.length : index]
  return found === undefined ? [] : [found]
}

function slice(
  list: readonly Json[],
  { from = 0, to, step = 1 }: Step & { kind: 'slice' },
  context: EvaluationContext,
) {
  if (step <= 0) throw new Mismatch(context.path, `the step of a range must be above 0, not ${step}`)
  return list.slice(from, to).filter((_, index) => index % step === 0)
}

function passes({ left, comparison, right }: Filter, item: Json, context: EvaluationContext): boolean {
  context.budget.spend(1, context.path)
  const leftValues = valuesOf(left, item, context)
  if (comparison === undefined || right === undefined) return leftValues.length > 0
  const rightValues = valuesOf(right, item, context)
  if (leftValues.length > 1 || rightValues.length > 1)
    throw new Mismatch(context.path, 'a filter compares one value with one value')
  const [a] = leftValues
  const [b] = rightValues
  if (a === undefined || b === undefined) return false
  context.budget.spendOn(a, context.path)
  if (comparison === '==') return equal(a, b)
  if (comparison === '!=') return !equal(a, b)
  const comparable = (typeof a === 'number' || typeof a === 'string') && typeof a === typeof b
  if (!comparable) throw new Mismatch(context.path, `${nameOf(a)} and ${nameOf(b)} have no order`)
  const [x, y] = [a, b as typeof a]
  if (comparison === '<') return x < y
  if (comparison === '<=') return x <= y
  return comparison === '>' ? x > y : x >= y
}

function valuesOf(operand: Operand, item: Json, context: EvaluationContext): readonly Json[] {
  if (operand.kind === 'literal') return [operand.value]
  return walk(operand.steps, [operand.absolute ? context.document : item], context)
}

function nameOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
