/**
 * Checks that every name in a program is defined, also in functions that are never called. Compilation is lazy, so this is a separate pass
 * before it.
 */
import { nativeFunctions } from '../builtins/natives.ts'
import { preludeDefinition } from '../builtins/prelude.ts'
import { specialForms } from '../builtins/special.ts'
import type { Definition, Node, Pattern } from '../syntax/ast.ts'
import { type SourceText, syntaxError } from '../syntax/location.ts'
import { variablesOf } from './pattern.ts'
import { functionName } from './scope.ts'

/** Names defined at a position: functions as `f/1`, variables as `$x`, labels as `*x`. */
export interface Names {
  readonly name: string
  readonly up: Names | undefined
}

export function define(names: Names | undefined, ...more: readonly string[]): Names | undefined {
  return more.reduce<Names | undefined>((up, name) => ({ name, up }), names)
}

function isKnown(names: Names | undefined, name: string): boolean {
  for (let current = names; current !== undefined; current = current.up) if (current.name === name) return true
  return false
}

export function isBuiltin(key: string): boolean {
  return Object.hasOwn(specialForms, key) || Object.hasOwn(nativeFunctions, key) || preludeDefinition(key) !== undefined
}

export class NameCheck {
  readonly #source: SourceText

  constructor(source: SourceText) {
    this.#source = source
  }

  /** Checks a definition and returns the names with it. */
  definition(definition: Definition, names: Names | undefined): Names | undefined {
    const { name, parameters, body } = definition
    const own = define(names, functionName(name, parameters.length))
    const inside = parameters.flatMap((parameter) =>
      parameter.startsWith('$') ? [parameter, functionName(parameter.slice(1), 0)] : [functionName(parameter, 0)],
    )
    this.node(body, define(own, ...inside))
    return own
  }

  node(node: Node, names: Names | undefined): void {
    switch (node.type) {
      case 'identity':
      case 'literal':
      case 'format':
        return
      case 'variable':
        if (!isKnown(names, `$${node.name}`)) this.#undefined(node, `$${node.name}`)
        return
      case 'break':
        if (!isKnown(names, `*${node.name}`)) this.#undefined(node, `$*label-${node.name}`)
        return
      case 'call': {
        const key = functionName(node.name, node.args.length)
        if (!isKnown(names, key) && !isBuiltin(key)) this.#undefined(node, key)
        for (const arg of node.args) this.node(arg, names)
        return
      }
      case 'define':
        this.node(node.rest, this.definition(node.definition, names))
        return
      case 'label':
        this.node(node.body, define(names, `*${node.name}`))
        return
      case 'as':
        this.node(node.source, names)
        this.node(node.body, this.#patterns(node.patterns, names))
        return
      case 'reduce':
      case 'foreach': {
        this.node(node.source, names)
        this.node(node.init, names)
        const bound = this.#patterns(node.patterns, names)
        this.node(node.update, bound)
        if (node.type === 'foreach' && node.extract) this.node(node.extract, bound)
        return
      }
      default:
        for (const part of parts(node)) this.node(part, names)
    }
  }

  #patterns(patterns: readonly Pattern[], names: Names | undefined): Names | undefined {
    const bound = define(names, ...variablesOf(patterns).map((name) => `$${name}`))
    const visit = (pattern: Pattern): void => {
      if (pattern.type === 'array') pattern.items.forEach(visit)
      if (pattern.type === 'object') {
        for (const entry of pattern.entries) {
          this.node(entry.key, bound)
          if (entry.pattern) visit(entry.pattern)
        }
      }
    }
    patterns.forEach(visit)
    return bound
  }

  #undefined(node: Node, name: string): never {
    throw syntaxError(this.#source, node, `${name} is not defined`)
  }
}

/** The direct children of a node that binds no names. */
function parts(node: Node): Node[] {
  switch (node.type) {
    case 'text':
      return node.parts.filter((part) => typeof part !== 'string')
    case 'object':
      return node.entries.flatMap(({ key, value }) => (value ? [key, value] : [key]))
    default:
      return Object.values(node).filter((part) => typeof part === 'object' && part !== null && 'type' in part) as Node[]
  }
}
