/**
 * Finds fields of an expression that are not in the schema of the variable, so that a misspelt field is an error when the rule is created
 * and not at the first evaluation. Values without a known schema are not checked.
 */
import { type SchemaNode, types } from '../node.ts'
import { escapeName } from './names.ts'

export interface UndefinedField {
  readonly name: string
  /** Offset of the dot in the source. */
  readonly position: number
}

type Scope = ReadonlyMap<string, SchemaNode | undefined>

/** The part of the syntax tree of the CEL library that is used here. */
interface SyntaxNode {
  readonly op: string
  readonly args: unknown
  readonly end: number
  readonly input: string
  readonly meta: { readonly alternate?: SyntaxNode; readonly macro?: object }
}

export function findUndefinedField(root: unknown, scope: Scope): UndefinedField | undefined {
  const search = new Search()
  search.walk(root, scope)
  return search.found
}

/** Fields of every object, even when its schema does not list them. */
const objectFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

class Search {
  found: UndefinedField | undefined

  /** The schema of the result of a node, if it is known. */
  walk(value: unknown, scope: Scope): SchemaNode | undefined {
    if (Array.isArray(value)) {
      for (const part of value) this.walk(part, scope)
      return undefined
    }
    if (!isSyntaxNode(value)) return undefined
    const { alternate, macro } = value.meta
    if (alternate !== undefined) return this.walk(alternate, scope)
    if (macro !== undefined) return this.#macro(macro, scope)
    switch (value.op) {
      case 'id':
        return typeof value.args === 'string' ? scope.get(value.args) : undefined
      case '.':
      case '.?':
        return this.#select(value, scope)
      case '[]':
      case '[?]':
        return this.#index(value.args, scope)
      case 'comprehension':
        this.#comprehension(value.args, scope)
        return undefined
      default:
        this.walk(value.args, scope)
        return undefined
    }
  }

  #select(node: SyntaxNode, scope: Scope): SchemaNode | undefined {
    const [operand, name] = node.args as [unknown, string]
    const schema = this.walk(operand, scope)
    if (schema === undefined || schema.types !== types.object) return undefined
    for (const [key, child] of schema.properties) if (escapeName(key) === name) return child
    const { additional } = schema
    if (typeof additional === 'object') return additional
    const open = additional === true || schema.preserves || schema.embedded || schema.properties.size === 0
    if (!open && !objectFields.has(name) && isSyntaxNode(operand)) {
      this.found ??= { name, position: node.input.indexOf('.', operand.end) }
    }
    return undefined
  }

  #index(args: unknown, scope: Scope): SchemaNode | undefined {
    const [operand, key] = args as [unknown, unknown]
    const schema = this.walk(operand, scope)
    this.walk(key, scope)
    if (schema?.items !== undefined) return schema.items
    return typeof schema?.additional === 'object' ? schema.additional : undefined
  }

  #comprehension(args: unknown, scope: Scope): void {
    const { iterable, iterVarName, init, step } = args as Record<string, unknown>
    const list = this.walk(iterable, scope)
    const inner = new Map(scope).set(String(iterVarName), list?.items)
    this.walk(init, inner)
    this.walk(step, inner)
  }

  /** `has`, `cel.bind`, `optMap` and similar macros; only those that bind a name need special handling. */
  #macro(macro: object, scope: Scope): SchemaNode | undefined {
    const parts = macro as Record<string, unknown>
    const bound = parts['var'] ?? parts['variable']
    const value = this.walk(parts['val'] ?? parts['receiver'], scope)
    const inner = typeof bound === 'string' ? new Map(scope).set(bound, value) : scope
    for (const name of ['exp', 'body', 'arg', 'args']) this.walk(parts[name], inner)
    return undefined
  }
}

function isSyntaxNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value && 'meta' in value
}
