/**
 * Validation as the API server does it for custom resources, in its order: the schema, embedded objects, list types, and then
 * the rules, unless an error already found makes them meaningless.
 */
import type { Json } from '../runtime/json.ts'
import { isUnchanged } from './correlation.ts'
import { checkEmbedded } from './embedded.ts'
import type { FieldError } from './field-error.ts'
import { type Finding, Findings } from './findings.ts'
import { checkList } from './lists.ts'
import { nodeOf, type SchemaNode } from './node.ts'
import { checkRules } from './rules.ts'
import type { Schema } from './schema.ts'
import { visit } from './walk.ts'

export interface ValidateOptions {
  /** The value before an update: transition rules see it, and errors in parts that did not change are let through. */
  readonly old?: Json
  /** Prefix of every path, for a value that is part of an object, such as `status`. */
  readonly path?: string
  /**
   * Values files: members the schema does not list are errors wherever it says nothing about additional properties.
   * @default false
   */
  readonly closed?: boolean
  /**
   * Values files, before a chart is rendered: `x-required-for-helm` counts.
   * @default false
   */
  readonly helm?: boolean
}

/** Every error of the value; an empty list means it is valid. */
export function validate(value: Json, schema: Schema, options: ValidateOptions = {}): readonly FieldError[] {
  const root = nodeOf(schema)
  const base = options.path ?? ''
  const found = new Findings(base, [], false)
  visit(root, value, found, { closed: options.closed === true, helm: options.helm === true })
  const { old } = options
  const errors = distinct(found.errors).filter((error) => old === undefined || !isUnchanged(error.at, root, value, old))
  for (const place of found.embedded) errors.push(...checkEmbedded(place, root, base))
  // Repetitions that were there before an update are let through, all of them.
  if (old === undefined || found.lists.length === 0 || repetitions(old, root, base).length === 0) {
    for (const place of found.lists) errors.push(...checkList(place, root, base))
  }
  if (found.rules.length > 0) {
    if (errors.some((error) => blocking.has(error.type))) errors.push(uncheckedRules(base))
    else errors.push(...checkRules(found.rules, { root, value, old, base }))
  }
  return errors.map(({ at: _, ...error }) => error)
}

function repetitions(old: Json, root: SchemaNode, base: string): readonly Finding[] {
  const found = new Findings(base, [], false)
  visit(root, old, found, { closed: false, helm: false })
  return found.lists.flatMap((place) => checkList(place, root, base))
}

/** Several combinators may complain about the same thing; it is said once. */
function distinct(errors: readonly Finding[]): Finding[] {
  if (errors.length < 2) return [...errors]
  const seen = new Set<string>()
  return errors.filter(({ type, field, detail }) => {
    const key = `${type} ${field} ${detail}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** With one of these the rules could meet a value they were not written for. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

function uncheckedRules(base: string): Finding {
  return {
    type: 'FieldValueInvalid',
    field: base === '' ? '<nil>' : base,
    badValue: null,
    detail:
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    rule: 'x-kubernetes-validations',
    at: [],
  }
}
