/**
 * Destructuring: `[$a, {b: $c}]`. A pattern is compiled to a chain of steps; each binds a variable or descends one level.
 */
import type { Json } from '../../runtime/index.ts'
import { runtimeError } from '../error.ts'
import type { Pattern, PatternEntry } from '../syntax/ast.ts'
import { lookUp } from '../values/access.ts'
import { describe } from '../values/describe.ts'
import { isObject } from '../values/kind.ts'
import { bind, type Env, type Signal } from './code.ts'
import { type Context, withVariable } from './scope.ts'

/** Calls `next` with the environment for every possible binding; `input` is the input of key expressions. */
export type Binder = (value: Json, input: Json, env: Env, next: (env: Env) => Signal) => Signal

/** One alternative of `as A ?// B`: the binder and the compile context of its body. */
export interface BoundPattern {
  readonly bind: Binder
  readonly context: Context
}

export function variablesOf(patterns: readonly Pattern[]): string[] {
  const names = new Set<string>()
  const visit = (pattern: Pattern): void => {
    if (pattern.type === 'variable') names.add(pattern.name)
    else if (pattern.type === 'array') pattern.items.forEach(visit)
    else {
      for (const entry of pattern.entries) {
        if (entry.variable !== undefined) names.add(entry.variable)
        if (entry.pattern) visit(entry.pattern)
      }
    }
  }
  patterns.forEach(visit)
  return [...names]
}

export function compilePattern(pattern: Pattern, context: Context): BoundPattern {
  switch (pattern.type) {
    case 'variable':
      return {
        bind: (value, _input, env, next) => next(bind(value, env)),
        context: withVariable(context, pattern.name),
      }
    case 'array': {
      const parts: Binder[] = []
      let current = context
      pattern.items.forEach((item, position) => {
        const compiled = compilePattern(item, current)
        current = compiled.context
        parts.push((value, input, env, next) => compiled.bind(lookUp(value, position), input, env, next))
      })
      return { bind: inOrder(parts), context: current }
    }
    case 'object': {
      const parts: Binder[] = []
      let current = context
      for (const entry of pattern.entries) {
        const compiled = compileEntry(entry, current)
        current = compiled.context
        parts.push(compiled.bind)
      }
      return { bind: inOrder(parts), context: current }
    }
  }
}

function compileEntry(entry: PatternEntry, context: Context): BoundPattern {
  const key = context.compiler.value(entry.key, context)
  const variable = entry.variable === undefined ? context : withVariable(context, entry.variable)
  const rest = entry.pattern && compilePattern(entry.pattern, variable)
  const binder: Binder = (value, input, env, next) =>
    key.each(input, env, (name) => {
      const part = read(value, name)
      const bound = entry.variable === undefined ? env : bind(part, env)
      return rest ? rest.bind(part, input, bound, next) : next(bound)
    })
  return { bind: binder, context: rest?.context ?? variable }
}

function read(value: Json, name: Json): Json {
  if (typeof name !== 'string' && isObject(value)) throw runtimeError(`Cannot index object with ${describe(name)}`)
  return lookUp(value, name)
}

function inOrder(parts: readonly Binder[]): Binder {
  return parts.reduceRight<Binder>(
    (rest, part) => (value, input, env, next) => part(value, input, env, (bound) => rest(value, input, bound, next)),
    (_value, _input, env, next) => next(env),
  )
}
