/**
 * Variables: `as`, `reduce`, `foreach`. Each variable adds a link to the environment.
 */
import type { Json } from '../../runtime/index.ts'
import type { Node, NodeOf, Pattern } from '../syntax/ast.ts'
import { bind, type Code, type Env, fromEach, fromSingle, proceed, type Signal } from './code.ts'
import { isCatchable } from './machine.ts'
import { type Binder, type BoundPattern, compilePattern, variablesOf } from './pattern.ts'
import { type Context, inner, withVariable } from './scope.ts'

export function simpleVariable(patterns: readonly Pattern[]): string | undefined {
  const [only] = patterns
  return patterns.length === 1 && only?.type === 'variable' ? only.name : undefined
}

/** With alternatives, the variables of all of them exist in the body; those that the taken one does not set are null. */
export function bindPatterns(patterns: readonly Pattern[], context: Context): BoundPattern[] {
  const shared = patterns.length > 1 ? variablesOf(patterns) : []
  const outer = shared.reduce(withVariable, context)
  return patterns.map((pattern) => {
    const compiled = compilePattern(pattern, outer)
    const binder: Binder = (value, input, env, next) => {
      let base = env
      for (let i = 0; i < shared.length; i += 1) base = bind(null, base)
      return compiled.bind(value, input, base, next)
    }
    return { bind: shared.length === 0 ? compiled.bind : binder, context: compiled.context }
  })
}

/** Tries the alternatives in order: after an error in one, or in the code after it, the next is tried. */
export function firstWithoutError(context: Context, attempts: readonly (() => Signal)[]): Signal {
  const { meter } = context.machine
  const depth = meter.depthLeft
  const last = attempts.length - 1
  for (let i = 0; i < last; i += 1) {
    try {
      return (attempts[i] as () => Signal)()
    } catch (error) {
      if (!isCatchable(error)) throw error
      meter.depthLeft = depth
    }
  }
  return (attempts[last] as () => Signal)()
}

export function compileAs(node: NodeOf<'as'>, context: Context): Code {
  const source = context.compiler.value(node.source, inner(context))
  const name = simpleVariable(node.patterns)
  if (name !== undefined) return compileVariableBinding(source, node.body, name, context)
  const alternatives = bindPatterns(node.patterns, inner(context)).map((pattern) => ({
    bind: pattern.bind,
    body: context.compiler.value(node.body, pattern.context),
  }))
  return fromEach((input, env, emit) =>
    source.each(input, env, (value) =>
      firstWithoutError(
        context,
        alternatives.map(
          ({ bind: binder, body }) =>
            () =>
              binder(value, input, env, (bound) => body.each(input, bound, emit)),
        ),
      ),
    ),
  )
}

function compileVariableBinding(source: Code, bodyNode: Node, name: string, context: Context): Code {
  const { single } = source
  const body = context.compiler.value(bodyNode, withVariable(single ? context : inner(context), name))
  const bodyOne = body.single
  if (single && bodyOne) {
    return fromSingle((input, env) => {
      const value = single(input, env)
      return value === undefined ? undefined : bodyOne(input, bind(value, env))
    })
  }
  if (single) {
    return fromEach((input, env, emit) => {
      const value = single(input, env)
      return value === undefined ? proceed : body.each(input, bind(value, env), emit)
    })
  }
  return fromEach((input, env, emit) => source.each(input, env, (value) => body.each(input, bind(value, env), emit)))
}

/** Calls `turn` for every binding of every output of a source. */
function compileSource(
  node: NodeOf<'reduce' | 'foreach'>,
  context: Context,
): { patterns: BoundPattern[]; run: (input: Json, env: Env, turn: (which: number, env: Env) => Signal) => Signal } {
  const source = context.compiler.value(node.source, context)
  const name = simpleVariable(node.patterns)
  if (name !== undefined) {
    const pattern: BoundPattern = {
      bind: (value, _input, env, next) => next(bind(value, env)),
      context: withVariable(context, name),
    }
    return {
      patterns: [pattern],
      run: (input, env, turn) => source.each(input, env, (value) => turn(0, bind(value, env))),
    }
  }
  const patterns = bindPatterns(node.patterns, context)
  return {
    patterns,
    run: (input, env, turn) =>
      source.each(input, env, (value) =>
        firstWithoutError(
          context,
          patterns.map((pattern, which) => () => pattern.bind(value, input, env, (bound) => turn(which, bound))),
        ),
      ),
  }
}

/** The last output of the update is the new state; an update without output leaves null. */
function lastOf(code: Code): (state: Json, env: Env) => Json {
  const { single, each } = code
  if (single) {
    return (state, env) => {
      const value = single(state, env)
      return value === undefined ? null : value
    }
  }
  return (state, env) => {
    let last: Json = null
    each(state, env, (value) => {
      last = value
      return proceed
    })
    return last
  }
}

export function compileReduce(node: NodeOf<'reduce'>, context: Context): Code {
  const init = context.compiler.value(node.init, context)
  const { patterns, run } = compileSource(node, context)
  const updates = patterns.map((pattern) => lastOf(context.compiler.value(node.update, pattern.context)))
  const { meter } = context.machine
  const fold = (start: Json, input: Json, env: Env): Json => {
    let state = start
    run(input, env, (which, bound) => {
      if (--meter.left < 0) meter.exhausted()
      const update = updates[which]
      if (update) state = update(state, bound)
      return proceed
    })
    return state
  }
  const { single, each } = init
  if (single) {
    return fromSingle((input, env) => {
      const start = single(input, env)
      return start === undefined ? undefined : fold(start, input, env)
    })
  }
  return fromEach((input, env, emit) => each(input, env, (start) => emit(fold(start, input, env))))
}

export function compileForeach(node: NodeOf<'foreach'>, context: Context): Code {
  const init = context.compiler.value(node.init, context)
  const { patterns, run } = compileSource(node, context)
  const { meter } = context.machine
  const turns = patterns.map((pattern) => ({
    update: context.compiler.value(node.update, pattern.context),
    extract: node.extract && context.compiler.value(node.extract, pattern.context),
  }))
  return fromEach((input, env, emit) =>
    init.each(input, env, (start) => {
      let state = start
      return run(input, env, (which, bound) => {
        const turn = turns[which]
        if (turn === undefined) return proceed
        if (--meter.left < 0) meter.exhausted()
        const before = state
        state = null
        return turn.update.each(before, bound, (value) => {
          state = value
          return turn.extract ? turn.extract.each(value, bound, emit) : emit(value)
        })
      })
    }),
  )
}
