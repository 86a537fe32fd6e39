/**
 * Evaluates the rules of `x-kubernetes-validations` for every value of the walk. A rule with `oldSelf` compares with the value before an
 * update. All rules of one object share a cost budget, so that rules cannot block a request.
 */
import { Optional } from '@marcbachmann/cel-js'
import { isJsonObject, type Json } from '../runtime/index.ts'
import { CelFailure, type CelOptions, type CelProgram, compileCel, costLimits } from './cel/compile.ts'
import { type ConvertedValues, celValue } from './cel/values.ts'
import { isUnchanged, oldValueAt } from './correlation.ts'
import type { FieldErrorType } from './field-error.ts'
import type { Finding, Visit } from './findings.ts'
import { nodeOf, type SchemaNode } from './node.ts'
import { fieldPath, joinPaths } from './paths.ts'
import type { Schema, ValidationRule } from './schema.ts'

export interface RuleContext {
  readonly root: SchemaNode
  readonly value: Json
  readonly old: Json | undefined
  readonly base: string
}

const compiledRules = new WeakMap<ValidationRule, CelProgram>()

/**
 * Compiles a rule and its message as the API server does when a definition is created.
 * @param schema the schema of the rule; without it, fields are not checked
 * @throws CarabinerError `CRB_CEL_INVALID`
 */
export function compileRule(rule: ValidationRule, schema?: Schema): void {
  const node = schema === undefined ? undefined : nodeOf(schema)
  compileCel(rule.rule, { ...namesOf(rule, node), returns: 'bool' })
  if (rule.messageExpression !== undefined) {
    compileCel(rule.messageExpression, { ...namesOf(rule, node), returns: 'string' })
  }
}

function namesOf(rule: ValidationRule, node: SchemaNode | undefined): Omit<CelOptions, 'returns'> {
  const schemas = node === undefined ? {} : { schemas: new Map([['self', node]]) }
  if (rule.optionalOldSelf === true) return { variables: ['self'], optionals: ['oldSelf'], ...schemas }
  const both =
    node === undefined
      ? {}
      : {
          schemas: new Map([
            ['self', node],
            ['oldSelf', node],
          ]),
        }
  return { variables: ['self', 'oldSelf'], ...both }
}

function compiled(rule: ValidationRule, node: SchemaNode): CelProgram {
  const known = compiledRules.get(rule)
  if (known !== undefined) return known
  const program = compileCel(rule.rule, { ...namesOf(rule, node), returns: 'bool' })
  compiledRules.set(rule, program)
  return program
}

export function checkRules(visits: readonly Visit[], context: RuleContext): readonly Finding[] {
  return new RuleRun(context).check(visits)
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run'

class RuleRun {
  readonly #context: RuleContext
  readonly #findings: Finding[] = []
  readonly #converted: ConvertedValues = new Map()
  #budget: number = costLimits.object

  constructor(context: RuleContext) {
    this.#context = context
  }

  check(visits: readonly Visit[]): readonly Finding[] {
    for (const visit of visits) {
      // Rules are not evaluated for null; rules of the parent can check it.
      if (visit.value === null) continue
      for (const rule of visit.node.schema['x-kubernetes-validations'] ?? []) {
        if (!this.#checkRule(visit, rule)) return this.#findings
      }
    }
    return this.#findings
  }

  /** Returns false when the budget is exhausted. */
  #checkRule(visit: Visit, rule: ValidationRule): boolean {
    const { root, value, old } = this.#context
    const type = visit.node.schema.type ?? ''
    let program: CelProgram
    try {
      program = compiled(rule, visit.node)
    } catch (error) {
      this.#add(visit, 'FieldValueInvalid', type, `rule compile error: ${(error as Error).message}`)
      return true
    }
    const before = old === undefined ? undefined : oldValueAt(visit.path, root, value, old)
    const known = before !== undefined && before !== null
    const transition = program.uses('oldSelf')
    if (transition && !known && rule.optionalOldSelf !== true) return true
    const values: Record<string, unknown> = { self: this.#convert(visit.value, visit.node) }
    if (transition || rule.optionalOldSelf === true) {
      const oldSelf = known ? this.#convert(before, visit.node) : undefined
      values['oldSelf'] = rule.optionalOldSelf === true ? Optional.of(oldSelf) : oldSelf
    }
    try {
      const result = program.evaluate(values, Math.min(this.#budget, costLimits.expression))
      this.#budget -= result.cost
      if (result.value === true) return true
    } catch (error) {
      return this.#failed(visit, rule, error)
    }
    if (!transition && old !== undefined && isUnchanged(visit.path, root, value, old)) return true
    this.#report(visit, rule, this.#message(visit.node, rule, values))
    return true
  }

  #convert(value: Json, node: SchemaNode): unknown {
    return celValue(value, node, this.#converted)
  }

  #failed(visit: Visit, rule: ValidationRule, error: unknown): boolean {
    if (!(error instanceof CelFailure)) throw error
    const type = visit.node.schema.type ?? ''
    const text = ruleText(rule)
    if (error.reason === 'cost') {
      const detail =
        this.#budget < costLimits.expression
          ? outOfBudget
          : `'${error.summary}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`
      this.#add(visit, 'FieldValueInvalid', type, detail)
      return false
    }
    const detail =
      error.reason === 'overload'
        ? `'${error.summary}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`
        : `${error.summary} evaluating rule: ${text}`
    this.#add(visit, 'FieldValueInvalid', type, detail)
    return true
  }

  #message(node: SchemaNode, rule: ValidationRule, values: Readonly<Record<string, unknown>>): string {
    const plain = rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`
    if (rule.messageExpression === undefined) return plain
    try {
      const program = compileCel(rule.messageExpression, { ...namesOf(rule, node), returns: 'string' })
      const result = program.evaluate(values, Math.min(Math.max(this.#budget, 0), costLimits.expression))
      this.#budget -= result.cost
      const text = typeof result.value === 'string' ? result.value.trim() : ''
      return text === '' || text.includes('\n') || text.length > 5 * 1024 ? plain : text
    } catch {
      // A failing messageExpression must not hide the failed rule.
      return plain
    }
  }

  #report(visit: Visit, rule: ValidationRule, detail: string): void {
    const whole = isJsonObject(visit.value) || Array.isArray(visit.value)
    const type = rule.reason ?? 'FieldValueInvalid'
    const below = rule.fieldPath === undefined ? [] : pathSegments(rule.fieldPath)
    this.#add(visit, type, whole ? undefined : visit.value, type === 'FieldValueDuplicate' ? '' : detail, below)
  }

  #add(
    visit: Visit,
    type: FieldErrorType,
    badValue: Json | undefined,
    detail: string,
    below: readonly string[] = [],
  ): void {
    const { root, base } = this.#context
    const field = joinPaths(base, fieldPath([...visit.path, ...below], root))
    this.#findings.push({
      type,
      field,
      ...(badValue === undefined ? {} : { badValue }),
      detail,
      rule: 'x-kubernetes-validations',
      at: visit.path,
    })
  }
}

function ruleText(rule: ValidationRule): string {
  return (rule.message ? rule.message : rule.rule).trim()
}

/** Splits `.a['b/c'].d` into its names. */
function pathSegments(text: string): string[] {
  return Array.from(
    text.matchAll(/\.([^.[]+)|\['((?:[^'\\]|\\.)*)'\]/g),
    ([, plain, quoted]) => plain ?? (quoted ?? '').replace(/\\(.)/g, '$1'),
  )
}
