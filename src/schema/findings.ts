/**
 * The results of a walk: errors with the exact messages of the API server, and the values to be checked after the walk (list types, rules,
 * embedded objects).
 */
import type { Json } from '../runtime/index.ts'
import type { FieldError, FieldErrorType } from './field-error.ts'
import type { SchemaNode } from './node.ts'
import { joinPaths, openApiPath, type PathSegment } from './paths.ts'

export interface Visit {
  readonly node: SchemaNode
  readonly value: Json
  readonly path: readonly PathSegment[]
}

/** An error with its value, to find out whether an update changed the value. */
export interface Finding extends FieldError {
  readonly at: readonly PathSegment[]
}

export class Findings {
  readonly errors: Finding[] = []
  readonly lists: Visit[] = []
  readonly rules: Visit[] = []
  readonly embedded: Visit[] = []
  readonly base: string
  /** Inside allOf, anyOf, oneOf and not, where list types, rules and embedded objects are not checked. */
  readonly nested: boolean
  visited = 0
  /** The path of the current value is the first `depth` segments; later entries are stale. */
  readonly segments: PathSegment[]
  depth: number

  constructor(base: string, path: readonly PathSegment[], nested: boolean) {
    this.base = base
    this.segments = [...path]
    this.depth = path.length
    this.nested = nested
  }

  get path(): PathSegment[] {
    return this.segments.slice(0, this.depth)
  }

  /** The path of the current value in messages. */
  get name(): string {
    return openApiPath(this.path)
  }

  /** Adds `<name> in body <what>`, the form of nearly all messages. */
  add(rule: string, what: string, badValue: Json, type: FieldErrorType = 'FieldValueInvalid'): void {
    const { name } = this
    this.#push({ type, field: joinPaths(this.base, name), badValue, detail: `${name} in body ${what}`, rule })
  }

  addType(expected: string, found: string): void {
    this.add('type', `must be of type ${expected}: ${JSON.stringify(found)}`, found, 'FieldValueTypeInvalid')
  }

  addRequired(member: string): void {
    const path = openApiPath([...this.path, member])
    this.#push({
      type: 'FieldValueRequired',
      field: joinPaths(this.base, path),
      badValue: '',
      detail: '',
      rule: 'required',
    })
  }

  addForbidden(member: string): void {
    const { name } = this
    this.#push({
      type: 'FieldValueInvalid',
      field: joinPaths(this.base, name),
      badValue: member,
      detail: `${name}.${member} in body is a forbidden property`,
      rule: 'additionalProperties',
    })
  }

  addEnum(value: Json, allowed: readonly Json[]): void {
    const names = allowed.map((entry) => JSON.stringify(typeof entry === 'string' ? entry : JSON.stringify(entry)))
    this.#push({
      type: 'FieldValueNotSupported',
      field: joinPaths(this.base, this.name),
      badValue: value,
      detail: `supported values: ${names.join(', ')}`,
      rule: 'enum',
    })
  }

  addTooLong(limit: number): void {
    this.#push({
      type: 'FieldValueTooLong',
      field: joinPaths(this.base, this.name),
      badValue: '<value omitted>',
      detail: `may not be more than ${limit} ${limit === 1 ? 'byte' : 'bytes'}`,
      rule: 'maxLength',
    })
  }

  addTooMany(rule: string, count: number, limit: number): void {
    this.#push({
      type: 'FieldValueTooMany',
      field: joinPaths(this.base, this.name),
      badValue: count,
      detail: `must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
      rule,
    })
  }

  /** Errors that the API server does not tie to a field. */
  addGeneral(rule: string, detail: string): void {
    this.#push({ type: 'FieldValueInvalid', field: joinPaths(this.base, ''), badValue: '', detail, rule })
  }

  #push(error: FieldError): void {
    this.errors.push({ ...error, at: this.path })
  }
}
