/**
 * Assignments. Paths are computed on the original input; changes are collected in a draft, so that nothing is copied twice.
 */
import type { Json } from '../../runtime/index.ts'
import type { ArithmeticOperator, Node, NodeOf } from '../syntax/ast.ts'
import { isTruthy } from '../values/kind.ts'
import { Draft, getPath, type Path } from '../values/paths.ts'
import { type Code, type Env, fromEach, fromSingle, type PathEach, proceed, stop, toArray } from './code.ts'
import { operation } from './operators.ts'
import { demandPath } from './paths.ts'
import type { Context } from './scope.ts'

/** Calls `visit` with every path of the left side. */
interface Places {
  readonly each: (input: Json, env: Env, visit: (path: Path) => void) => void
  /** Whether there is exactly one path for any input. */
  readonly one: boolean
}

export function compilePlaces(node: Node, context: Context): Places {
  const fixed = fixedPath(node)
  if (fixed) {
    const each: Places['each'] = (input, _env, visit) => {
      // An impossible path is an error even when nothing is read from it.
      getPath(input, fixed)
      visit(fixed)
    }
    return { each, one: true }
  }
  const paths: PathEach = context.compiler.paths(node, context)
  const each: Places['each'] = (input, env, visit) => {
    paths(input, input, null, env, (value, at, path) => {
      demandPath(value, at)
      visit(toArray(path))
      return proceed
    })
  }
  return { each, one: false }
}

/** A constant path such as `.a.b[0]`. */
function fixedPath(node: Node): Path | undefined {
  if (node.type === 'identity') return []
  if (node.type !== 'index' || node.optional || node.key.type !== 'literal') return undefined
  const { value } = node.key
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const above = fixedPath(node.target)
  return above && [...above, value]
}

export function compileUpdate(node: NodeOf<'update'>, context: Context): Code {
  const places = compilePlaces(node.left, context)
  const right = context.compiler.value(node.right, context)
  switch (node.operator) {
    case '|=':
      return compileModify(places, right, context)
    case '=':
      return forEachRight(right, places.one, context, (input, value, env, draft) =>
        places.each(input, env, (path) => draft.set(path, value)),
      )
    case '//=':
      return forEachRight(right, places.one, context, (input, value, env, draft) =>
        places.each(input, env, (path) => {
          const current = draft.release(path)
          draft.set(path, isTruthy(current) ? current : value)
        }),
      )
    default: {
      const apply = operation(node.operator.charAt(0) as ArithmeticOperator, context.machine.meter)
      return forEachRight(right, places.one, context, (input, value, env, draft) =>
        places.each(input, env, (path) => draft.set(path, apply(draft.release(path), value))),
      )
    }
  }
}

function forEachRight(
  right: Code,
  once: boolean,
  context: Context,
  change: (input: Json, value: Json, env: Env, draft: Draft) => void,
): Code {
  const { meter } = context.machine
  const changed = (input: Json, value: Json, env: Env): Json => {
    const draft = new Draft(input, meter, once)
    change(input, value, env, draft)
    return draft.value
  }
  const { single, each } = right
  if (single) {
    return fromSingle((input, env) => {
      const value = single(input, env)
      return value === undefined ? undefined : changed(input, value, env)
    })
  }
  return fromEach((input, env, emit) => each(input, env, (value) => emit(changed(input, value, env))))
}

/** The first output of the update replaces the value; a path whose update has no output is deleted afterwards. */
function compileModify(places: Places, update: Code, context: Context): Code {
  const { meter } = context.machine
  const first = firstOf(update)
  return fromSingle((input, env) => {
    const draft = new Draft(input, meter, places.one)
    const emptied: Path[] = []
    places.each(input, env, (path) => {
      if (--meter.left < 0) meter.exhausted()
      const value = first(draft.release(path), env)
      if (value === undefined) emptied.push(path)
      else draft.set(path, value)
    })
    if (emptied.length > 0) draft.delete(emptied)
    return draft.value
  })
}

export function firstOf(code: Code): (input: Json, env: Env) => Json | undefined {
  const { single, each } = code
  if (single) return single
  return (input, env) => {
    let found: Json | undefined
    each(input, env, (value) => {
      found = value
      return stop
    })
    return found
  }
}
