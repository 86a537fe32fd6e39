/**
 * Names at compile time. A scope is an immutable linked list; `depth` of an entry is the length of the environment at its definition, so
 * that nested code knows how many links to go back.
 */
import type { Json } from '../../runtime/index.ts'
import type { Definition, Node } from '../syntax/ast.ts'
import type { SourceText } from '../syntax/location.ts'
import type { Code, PathEach } from './code.ts'
import type { Cell, Machine } from './machine.ts'

export type Entry =
  | { readonly type: 'variable'; readonly depth: number }
  | { readonly type: 'label'; readonly depth: number }
  | { readonly type: 'constant'; readonly value: Json }
  | FunctionEntry
  /** An argument whose expression is known at compile time: it is compiled at each use. */
  | { readonly type: 'argument'; readonly node: Node; readonly scope: Scope | undefined; readonly source: SourceText }
  /** An argument of a function that is called at run time: it is looked up in the environment. */
  | { readonly type: 'closure'; readonly depth: number; readonly index: number }

export interface FunctionEntry {
  readonly type: 'function'
  readonly definition: Definition
  readonly depth: number
  readonly source: SourceText
  readonly recursive: boolean
  scope: Scope | undefined
  cell: Cell | undefined
  pathCell: { run: PathEach } | undefined
}

export interface Scope {
  readonly name: string
  readonly entry: Entry
  readonly up: Scope | undefined
}

/** The interface with which the compiler of a node compiles child nodes. */
export interface NodeCompiler {
  /** Variables that the caller provides for each run. */
  readonly globals: ReadonlySet<string>
  /** Whether outputs may contain number literals that keep their text. */
  mayHoldLiterals: boolean
  readonly mayInline: boolean
  value(node: Node, context: Context): Code
  paths(node: Node, context: Context): PathEach
  /** A built-in that controls the evaluation of its arguments, by name and arity: `limit/2`. */
  specialForm(key: string): SpecialForm | undefined
}

/** Returns undefined when the definition in the prelude is as good. */
export type SpecialForm = (args: readonly Node[], context: Context) => Code | undefined

export interface Context {
  readonly compiler: NodeCompiler
  readonly machine: Machine
  readonly scope: Scope | undefined
  readonly source: SourceText
  readonly depth: number
  /** Whether the expression is in tail position of the function being compiled. */
  readonly tail: boolean
}

export function extend(scope: Scope | undefined, name: string, entry: Entry): Scope {
  return { name, entry, up: scope }
}

export function find(scope: Scope | undefined, name: string): Entry | undefined {
  for (let current = scope; current !== undefined; current = current.up) {
    if (current.name === name) return current.entry
  }
  return undefined
}

export function functionName(name: string, arity: number): string {
  return `${name}/${arity}`
}

/** The context of an expression that is not in tail position. */
export function inner(context: Context): Context {
  return context.tail ? { ...context, tail: false } : context
}

export function withVariable(context: Context, name: string): Context {
  const scope = extend(context.scope, `$${name}`, { type: 'variable', depth: context.depth + 1 })
  return { ...context, scope, depth: context.depth + 1 }
}

/** A parameter `$x` is the closure `x` bound to a variable before the body. */
export function bodyOf(definition: Definition): Node {
  return definition.parameters.reduceRight((body, parameter): Node => {
    if (!parameter.startsWith('$')) return body
    const name = parameter.slice(1)
    const span = { start: body.start, end: body.end }
    const source: Node = { type: 'call', name, args: [], ...span }
    return { type: 'as', source, patterns: [{ type: 'variable', name }], body, ...span }
  }, definition.body)
}

/** A function sees itself and earlier definitions, so recursion always appears as its own name in its body. */
export function makeFunction(definition: Definition, context: Context): FunctionEntry {
  const { name, parameters } = definition
  const entry: FunctionEntry = {
    type: 'function',
    definition,
    depth: context.depth,
    source: context.source,
    recursive: isRecursive(definition),
    scope: undefined,
    cell: undefined,
    pathCell: undefined,
  }
  entry.scope = extend(context.scope, functionName(name, parameters.length), entry)
  return entry
}

/** Cache; definitions are immutable. */
const recursive = new WeakMap<Definition, boolean>()

function isRecursive(definition: Definition): boolean {
  const known = recursive.get(definition)
  if (known !== undefined) return known
  const answer = mentions(definition.body, definition.name, definition.parameters.length)
  recursive.set(definition, answer)
  return answer
}

function mentions(node: unknown, name: string, arity: number): boolean {
  if (typeof node !== 'object' || node === null) return false
  if (Array.isArray(node)) return node.some((item) => mentions(item, name, arity))
  const candidate = node as { type?: unknown; name?: unknown; args?: readonly unknown[] }
  if (candidate.type === 'literal') return false
  if (candidate.type === 'call' && candidate.name === name && candidate.args?.length === arity) return true
  return Object.values(node).some((part) => mentions(part, name, arity))
}
