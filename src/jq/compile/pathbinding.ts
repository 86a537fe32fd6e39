/**
 * `as`, `reduce` and `foreach` in path mode. State is a value, so only results of the source or the extraction have a path.
 */
import type { NodeOf } from '../syntax/ast.ts'
import { bindPatterns, firstWithoutError } from './binding.ts'
import type { PathEach, Signal } from './code.ts'
import { proceed } from './code.ts'
import type { Context } from './scope.ts'

export function compilePathAs(node: NodeOf<'as'>, context: Context): PathEach {
  const source = context.compiler.value(node.source, context).each
  const alternatives = bindPatterns(node.patterns, context).map((pattern) => ({
    bind: pattern.bind,
    body: context.compiler.paths(node.body, pattern.context),
  }))
  return (input, at, path, env, emit) =>
    source(input, env, (value) =>
      firstWithoutError(
        context,
        alternatives.map(
          ({ bind, body }) =>
            () =>
              bind(value, input, env, (bound) => body(input, at, path, bound, emit)),
        ),
      ),
    )
}

export function compilePathReduce(node: NodeOf<'reduce'>, context: Context): PathEach {
  const init = context.compiler.paths(node.init, context)
  const source = context.compiler.paths(node.source, context)
  const turns = bindPatterns(node.patterns, context).map((pattern) => ({
    bind: pattern.bind,
    update: context.compiler.paths(node.update, pattern.context),
  }))
  return (input, at, path, env, emit) =>
    init(input, at, path, env, (start, startAt, startPath) => {
      let state = start
      source(input, startAt, startPath, env, (item, itemAt, itemPath) =>
        firstWithoutError(
          context,
          turns.map(
            ({ bind, update }) =>
              () =>
                bind(item, input, env, (bound) => {
                  const before = state
                  state = null
                  return update(before, itemAt, itemPath, bound, (value) => {
                    state = value
                    return proceed
                  })
                }),
          ),
        ),
      )
      return emit(state, startAt, startPath)
    })
}

export function compilePathForeach(node: NodeOf<'foreach'>, context: Context): PathEach {
  const init = context.compiler.paths(node.init, context)
  const source = context.compiler.paths(node.source, context)
  const turns = bindPatterns(node.patterns, context).map((pattern) => ({
    bind: pattern.bind,
    update: context.compiler.paths(node.update, pattern.context),
    extract: node.extract && context.compiler.paths(node.extract, pattern.context),
  }))
  return (input, at, path, env, emit) =>
    init(input, at, path, env, (start, startAt, startPath) => {
      let state = start
      return source(input, startAt, startPath, env, (item, itemAt, itemPath) =>
        firstWithoutError(
          context,
          turns.map(
            ({ bind, update, extract }) =>
              () =>
                bind(item, input, env, (bound) => {
                  const before = state
                  state = null
                  return update(before, itemAt, itemPath, bound, (value, valueAt, valuePath): Signal => {
                    state = value
                    return extract ? extract(value, valueAt, valuePath, bound, emit) : emit(value, valueAt, valuePath)
                  })
                }),
          ),
        ),
      )
    })
}
