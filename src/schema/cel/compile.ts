/**
 * Compiles CEL expressions with the functions of Kubernetes and evaluates them with a cost limit. Used for validation rules of schemas and
 * match conditions of webhooks.
 */
import type { ParseResult } from '@marcbachmann/cel-js'
import { CarabinerError } from '../../runtime/index.ts'
import type { SchemaNode } from '../node.ts'
import { environmentFor } from './environment.ts'
import { findUndefinedField } from './fields.ts'
import { CostExceeded, instrument, Meter } from './meter.ts'
import type { CelValue } from './values.ts'

export interface CelOptions {
  /** Variables of the expression; each must have a value at evaluation. */
  readonly variables: readonly string[]
  /** Variables whose values are optionals. */
  readonly optionals?: readonly string[]
  /** Schemas of variables; a field that is not in the schema is an error. */
  readonly schemas?: ReadonlyMap<string, SchemaNode>
  /** The required result type. @default any */
  readonly returns?: 'bool' | 'string'
}

export interface CelProgram {
  readonly source: string
  /** Whether the expression uses the variable. */
  uses(variable: string): boolean
  /**
   * @param variables values made by `celValue`
   * @param limit maximum cost of the evaluation
   * @throws CarabinerError `CRB_CEL_FAILED`, with the reason
   */
  evaluate(variables: Readonly<Record<string, CelValue>>, limit?: number): CelResult
}

export interface CelResult {
  readonly value: CelValue
  readonly cost: number
}

/** The cost limits of the API server: for one expression, and for all expressions on one object. */
export const costLimits = { expression: 1_000_000, object: 10_000_000 } as const

/** A failed evaluation with its reason, for callers with their own messages. */
export class CelFailure extends CarabinerError {
  readonly reason: 'cost' | 'overload' | 'other'
  /** The reason without the expression. */
  readonly summary: string

  constructor(source: string, reason: 'cost' | 'overload' | 'other', summary: string, cause: unknown) {
    super('CRB_CEL_FAILED', `${summary} evaluating: ${source}`, { cause })
    this.reason = reason
    this.summary = summary
  }
}

/**
 * @throws CarabinerError `CRB_CEL_INVALID`, with the position in the expression
 * @example
 * const condition = compileCel('object.spec.replicas > 1', { variables: ['object'], returns: 'bool' })
 * condition.evaluate({ object: celValue({ spec: { replicas: 2 } }) }).value // true
 */
export function compileCel(source: string, options: CelOptions): CelProgram {
  const meter = new Meter()
  let parsed: ParseResult
  let names: ReadonlySet<string>
  try {
    parsed = environmentFor(options.variables, options.optionals ?? []).parse(source)
    names = instrument(parsed.ast, meter)
  } catch (error) {
    throw invalid(source, error)
  }
  const checked = parsed.check()
  if (!checked.valid) throw invalid(source, checked.error)
  if (options.returns !== undefined && checked.type !== options.returns && checked.type !== 'dyn') {
    throw compilationFailed(`cel expression must evaluate to a ${options.returns}`)
  }
  const missing = options.schemas === undefined ? undefined : findUndefinedField(parsed.ast, options.schemas)
  if (missing !== undefined) {
    throw compilationFailed(located(source, missing.position, `undefined field '${missing.name}'`))
  }
  return {
    source,
    uses: (variable) => names.has(variable),
    evaluate(variables, limit = costLimits.expression) {
      meter.start(limit)
      try {
        return { value: parsed({ ...variables }) as CelValue, cost: meter.spent }
      } catch (error) {
        throw failure(source, error)
      }
    },
  }
}

function invalid(source: string, error: unknown): CarabinerError {
  const summary = errorText(error, 'summary') ?? (error instanceof Error ? error.message : String(error))
  const range: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'range') : undefined
  const position = typeof range === 'object' && range !== null ? (Reflect.get(range, 'start') as number) : 0
  return compilationFailed(located(source, position, summary), error)
}

function compilationFailed(text: string, cause?: unknown): CarabinerError {
  return new CarabinerError('CRB_CEL_INVALID', `compilation failed: ${text}`, { cause })
}

/** The error with its line and a mark below its position, in the format of the API server. */
function located(source: string, position: number, what: string): string {
  const before = source.slice(0, position).split('\n')
  const column = before.at(-1)?.length ?? 0
  const line = source.split('\n')[before.length - 1] ?? ''
  return `ERROR: <input>:${before.length}:${column + 1}: ${what}\n | ${line}\n | ${'.'.repeat(column)}^`
}

function failure(source: string, error: unknown): CelFailure {
  if (error instanceof CostExceeded) return new CelFailure(source, 'cost', error.message, error)
  const code = errorText(error, 'code')
  if (code === 'no_such_overload' || code === 'no_matching_overload') {
    return new CelFailure(source, 'overload', 'no such overload', error)
  }
  const summary = errorText(error, 'summary') ?? (error instanceof Error ? error.message : String(error))
  return new CelFailure(source, 'other', messageFor(code, summary), error)
}

/** The message of the API server for a failure, if it has one. */
function messageFor(code: string | undefined, summary: string): string {
  switch (code) {
    case 'no_such_key':
      return summary.replace(/^No such key/, 'no such key')
    case 'index_out_of_bounds':
      return `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1] ?? ''}`
    case 'numeric_overflow':
      return 'integer overflow'
    default:
      return summary
  }
}

function errorText(error: unknown, name: 'code' | 'summary'): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const value: unknown = Reflect.get(error, name)
  return typeof value === 'string' ? value : undefined
}
