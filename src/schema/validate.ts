/**
 * Validates values as the API server does for custom resources, in its order: schema, embedded objects, list types, then rules unless an
 * earlier error makes them meaningless.
 */
import { append, type Json } from '../runtime/index.ts'
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
  /** The value before an update: for transition rules, and to ignore errors in unchanged parts. */
  readonly old?: Json
  /** Prefix of every path, for a value that is part of an object, such as `status`. */
  readonly path?: string
  /**
   * Values files: unlisted members are errors where the schema does not set additionalProperties.
   * @default false
   */
  readonly closed?: boolean
  /**
   * Values files, before a chart is rendered: `x-required-for-helm` applies.
   * @default false
   */
  readonly helm?: boolean
}

/** Returns all errors of the value; empty when it is valid. */
export function validate(value: Json, schema: Schema, options: ValidateOptions = {}): readonly FieldError[] {
  const root = nodeOf(schema)
  const base = options.path ?? ''
  const found = new Findings(base, [], false)
  visit(root, value, found, { closed: options.closed === true, helm: options.helm === true })
  const { old } = options
  const errors = distinct(found.errors).filter((error) => old === undefined || !isUnchanged(error.at, root, value, old))
  for (const place of found.embedded) append(errors, checkEmbedded(place, root, base))
  // If the old value had repetitions, all repetitions are ignored.
  if (old === undefined || found.lists.length === 0 || repetitions(old, root, base).length === 0) {
    for (const place of found.lists) append(errors, checkList(place, root, base))
  }
  if (found.rules.length > 0) {
    if (errors.some((error) => blocking.has(error.type))) errors.push(uncheckedRules(base))
    else append(errors, checkRules(found.rules, { root, value, old, base }))
  }
  return errors.map(({ at: _, ...error }) => error)
}

function repetitions(old: Json, root: SchemaNode, base: string): readonly Finding[] {
  const found = new Findings(base, [], false)
  visit(root, old, found, { closed: false, helm: false })
  return found.lists.flatMap((place) => checkList(place, root, base))
}

/** Removes duplicates: several combinators can report the same error. */
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

/** Errors after which rules are not evaluated, because the value may not have the expected shape. */
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
