/**
 * The second compiler: expressions as paths. Access, control flow and binding keep track of the path; an expression that computes a new
 * value uses the first compiler and loses the path.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import { preludeDefinition } from '../builtins/prelude.ts'
import { runtimeError } from '../error.ts'
import type { Node, NodeOf } from '../syntax/ast.ts'
import { lookUp, lookUpOptional } from '../values/access.ts'
import { abbreviate } from '../values/describe.ts'
import { isArray, isTruthy } from '../values/kind.ts'
import { getPath, toPath } from '../values/paths.ts'
import { edge, isIterable, iterate } from './access.ts'
import { bodyContext, compileArguments, enterFunction, inlineScope, preludeFunction } from './calls.ts'
import {
  ancestor,
  append,
  bind,
  type Closure,
  type PathEach,
  type PathEmit,
  type PathLink,
  proceed,
  type Signal,
} from './code.ts'
import { BreakSignal, isCatchable } from './machine.ts'
import { compilePathAs, compilePathForeach, compilePathReduce } from './pathbinding.ts'
import { bodyOf, type Context, extend, type FunctionEntry, find, functionName, makeFunction } from './scope.ts'

export function compilePathNode(node: Node, context: Context): PathEach {
  const { compiler } = context
  switch (node.type) {
    case 'identity':
      return (input, at, path, _env, emit) => emit(input, at, path)
    case 'index':
      return pathIndex(node, context)
    case 'slice':
      return pathSlice(node, context)
    case 'iterate':
      return pathIterate(node, context)
    case 'pipe': {
      const left = compiler.paths(node.left, context)
      const right = compiler.paths(node.right, context)
      return (input, at, path, env, emit) =>
        left(input, at, path, env, (value, place, where) => right(value, place, where, env, emit))
    }
    case 'comma': {
      const left = compiler.paths(node.left, context)
      const right = compiler.paths(node.right, context)
      return (input, at, path, env, emit) => {
        const signal = left(input, at, path, env, emit)
        return signal === proceed ? right(input, at, path, env, emit) : signal
      }
    }
    case 'if': {
      const condition = compiler.value(node.condition, context).each
      const then = compiler.paths(node.then, context)
      const otherwise = compiler.paths(node.otherwise ?? { ...node, type: 'identity' }, context)
      return (input, at, path, env, emit) =>
        condition(input, env, (decision) =>
          isTruthy(decision) ? then(input, at, path, env, emit) : otherwise(input, at, path, env, emit),
        )
    }
    case 'alternative':
      return pathAlternative(node, context)
    case 'try':
      return pathTry(node, context)
    case 'reduce':
      return compilePathReduce(node, context)
    case 'foreach':
      return compilePathForeach(node, context)
    case 'as':
      return compilePathAs(node, context)
    case 'label':
      return pathLabel(node, context)
    case 'define': {
      const { scope } = makeFunction(node.definition, context)
      return compiler.paths(node.rest, { ...context, scope })
    }
    case 'call':
      return pathCall(node, context)
    default:
      return computed(node, context)
  }
}

/** A computed value: the path stays unchanged. */
function computed(node: Node, context: Context): PathEach {
  const { each } = context.compiler.value(node, context)
  return (input, at, path, env, emit) => each(input, env, (value) => emit(value, at, path))
}

function isAt(value: Json, at: Json): boolean {
  return Object.is(value, at) || value === at
}

export function demandPath(value: Json, at: Json): void {
  if (!isAt(value, at)) throw runtimeError(`Invalid path expression with result ${abbreviate(value)}`)
}

function step(value: Json, at: Json, path: PathLink | null, key: Json, optional: boolean, emit: PathEmit): Signal {
  if (!isAt(value, at)) {
    throw runtimeError(
      `Invalid path expression near attempt to access element ${abbreviate(key)} of ${abbreviate(value)}`,
    )
  }
  const found = optional ? lookUpOptional(value, key) : lookUp(value, key)
  return found === undefined ? proceed : emit(found, found, append(path, key))
}

function pathIndex(node: NodeOf<'index'>, context: Context): PathEach {
  const optional = node.optional === true
  const target = context.compiler.paths(node.target, context)
  const key = context.compiler.value(node.key, context)
  const { constant } = key
  if (constant !== undefined) {
    return (input, at, path, env, emit) =>
      target(input, at, path, env, (value, place, where) => step(value, place, where, constant, optional, emit))
  }
  return (input, at, path, env, emit) =>
    key.each(input, env, (name) =>
      target(input, at, path, env, (value, place, where) => step(value, place, where, name, optional, emit)),
    )
}

function pathSlice(node: NodeOf<'slice'>, context: Context): PathEach {
  const optional = node.optional === true
  const target = context.compiler.paths(node.target, context)
  const from = edge(node.from, context).each
  const to = edge(node.to, context).each
  return (input, at, path, env, emit) =>
    from(input, env, (start) =>
      to(input, env, (end) =>
        target(input, at, path, env, (value, place, where) =>
          step(value, place, where, { start, end }, optional, emit),
        ),
      ),
    )
}

function pathIterate(node: NodeOf<'iterate'>, context: Context): PathEach {
  const { meter } = context.machine
  const target = context.compiler.paths(node.target, context)
  return (input, at, path, env, emit) =>
    target(input, at, path, env, (value, place, where) => {
      if (!isAt(value, place)) {
        throw runtimeError(`Invalid path expression near attempt to iterate through ${abbreviate(value)}`)
      }
      if (node.optional && !isIterable(value)) return proceed
      let index = 0
      const keys = isArray(value) || value === null ? undefined : Object.keys(value)
      return iterate(
        value,
        (item) => {
          const key = keys ? (keys[index] as string) : index
          index += 1
          return emit(item, item, append(where, key))
        },
        meter,
      )
    })
}

/** Like `guarded` for values: only errors of the body itself are caught. */
function guardedPaths(
  context: Context,
  body: (emit: PathEmit) => Signal,
  emit: PathEmit,
  failed: (value: Json) => Signal,
): Signal {
  const { meter } = context.machine
  const depth = meter.depthLeft
  let downstream = false
  try {
    return body((value, at, path) => {
      downstream = true
      const signal = emit(value, at, path)
      downstream = false
      return signal
    })
  } catch (error) {
    if (downstream || !isCatchable(error)) throw error
    meter.depthLeft = depth
    return failed(error.value)
  }
}

function pathAlternative(node: NodeOf<'alternative'>, context: Context): PathEach {
  const left = context.compiler.paths(node.left, context)
  const right = context.compiler.paths(node.right, context)
  return (input, at, path, env, emit) => {
    let found = false
    const signal = left(input, at, path, env, (value, place, where) => {
      if (!isTruthy(value)) return proceed
      found = true
      return emit(value, place, where)
    })
    return found ? signal : right(input, at, path, env, emit)
  }
}

function pathTry(node: NodeOf<'try'>, context: Context): PathEach {
  const body = context.compiler.paths(node.body, context)
  const handler = node.handler && context.compiler.paths(node.handler, context)
  return (input, at, path, env, emit) =>
    guardedPaths(
      context,
      (inside) => body(input, at, path, env, inside),
      emit,
      (value) => (handler ? handler(value, at, path, env, emit) : proceed),
    )
}

function pathLabel(node: NodeOf<'label'>, context: Context): PathEach {
  const { machine } = context
  const scope = extend(context.scope, `*${node.name}`, { type: 'label', depth: context.depth + 1 })
  const body = context.compiler.paths(node.body, { ...context, scope, depth: context.depth + 1 })
  return (input, at, path, env, emit) => {
    const label = bind(null, env)
    const depth = machine.meter.depthLeft
    try {
      return body(input, at, path, label, emit)
    } catch (error) {
      if (!(error instanceof BreakSignal) || machine.breaking !== label) throw error
      machine.meter.depthLeft = depth
      return proceed
    }
  }
}

function pathCall(node: NodeOf<'call'>, context: Context): PathEach {
  const key = functionName(node.name, node.args.length)
  const entry = find(context.scope, key)
  if (entry?.type === 'function') return pathFunction(entry, node.args, context)
  if (entry?.type === 'argument') {
    return context.compiler.paths(entry.node, { ...context, scope: entry.scope, source: entry.source })
  }
  if (entry?.type === 'closure') {
    const hops = context.depth - entry.depth
    const { index } = entry
    return (input, at, path, env, emit) => {
      const { argument, env: own } = ancestor(env, hops).closures[index] as Closure
      return argument.paths()(input, at, path, own, emit)
    }
  }
  if (key === 'recurse/0') return pathRecurse(context)
  if (key === 'getpath/1' && node.args[0]) return pathGetpath(node.args[0], context)
  if (preludeDefinition(key) === undefined) return computed(node, context)
  return pathFunction(preludeFunction(node, key, context), node.args, context)
}

/** `..` in path mode; uses one native stack frame per level of the value. */
function pathRecurse(context: Context): PathEach {
  const { meter } = context.machine
  const descend = (value: Json, path: PathLink | null, emit: PathEmit): Signal => {
    if (--meter.left < 0) meter.exhausted()
    const signal = emit(value, value, path)
    if (signal !== proceed || !isIterable(value)) return signal
    const keys = isArray(value) ? value.keys() : Object.keys(value as object)
    for (const key of keys) {
      const below = descend((value as JsonObject)[key] as Json, append(path, key), emit)
      if (below !== proceed) return below
    }
    return proceed
  }
  return (input, at, path, _env, emit) => {
    if (isAt(input, at)) return descend(input, path, emit)
    // A computed value may be passed on, but its parts have no path.
    const signal = emit(input, at, path)
    if (signal !== proceed || !isIterable(input)) return signal
    throw runtimeError(`Invalid path expression near attempt to iterate through ${abbreviate(input)}`)
  }
}

function pathGetpath(node: Node, context: Context): PathEach {
  const keys = context.compiler.value(node, context).each
  return (input, at, path, env, emit) =>
    keys(input, env, (wanted) => {
      const steps = toPath(wanted)
      if (!isAt(input, at)) {
        throw runtimeError(
          `Invalid path expression near attempt to access element ${abbreviate(wanted)} of ${abbreviate(input)}`,
        )
      }
      const found = getPath(input, steps)
      return emit(found, found, steps.reduce<PathLink | null>(append, path))
    })
}

function pathFunction(entry: FunctionEntry, args: readonly Node[], context: Context): PathEach {
  if (!entry.recursive && context.compiler.mayInline) {
    const scope = inlineScope(entry, args, context)
    return context.compiler.paths(bodyOf(entry.definition), { ...context, scope, source: entry.source })
  }
  const { meter } = context.machine
  const cell = pathCellOf(entry, context)
  const hops = context.depth - entry.depth
  const compiled = compileArguments(args, context)
  return (input, at, path, env, emit) => {
    if (--meter.left < 0) meter.exhausted()
    if (--meter.depthLeft < 0) meter.tooDeep()
    const signal = cell.run(input, at, path, enterFunction(compiled, env, hops), emit)
    meter.depthLeft += 1
    return signal
  }
}

function pathCellOf(entry: FunctionEntry, context: Context): { run: PathEach } {
  if (entry.pathCell) return entry.pathCell
  const cell: { run: PathEach } = {
    run: () => {
      throw new Error('a function is compiled before it runs')
    },
  }
  entry.pathCell = cell
  cell.run = context.compiler.paths(bodyOf(entry.definition), bodyContext(entry, context))
  return cell
}
