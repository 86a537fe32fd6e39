/**
 * Control flow: `if`, `and`, `or`, `//`, `try`, `label`.
 */
import type { Json } from '../../runtime/index.ts'
import type { NodeOf } from '../syntax/ast.ts'
import { isTruthy } from '../values/kind.ts'
import { bind, type Code, fromEach, fromSingle, proceed, type Signal } from './code.ts'
import { BreakSignal, isCatchable } from './machine.ts'
import { type Context, extend, inner } from './scope.ts'

export function compileIf(node: NodeOf<'if'>, context: Context): Code {
  const condition = context.compiler.value(node.condition, inner(context))
  const branch = condition.single ? context : inner(context)
  const then = context.compiler.value(node.then, branch)
  const otherwise = context.compiler.value(node.otherwise ?? { ...node, type: 'identity' }, branch)
  const test = condition.single
  const thenOne = then.single
  const otherwiseOne = otherwise.single
  if (test && thenOne && otherwiseOne) {
    return fromSingle((input, env) => {
      const decision = test(input, env)
      if (decision === undefined) return undefined
      return decision !== null && decision !== false ? thenOne(input, env) : otherwiseOne(input, env)
    })
  }
  if (test) {
    return fromEach((input, env, emit) => {
      const decision = test(input, env)
      if (decision === undefined) return proceed
      return isTruthy(decision) ? then.each(input, env, emit) : otherwise.each(input, env, emit)
    })
  }
  return fromEach((input, env, emit) =>
    condition.each(input, env, (decision) =>
      isTruthy(decision) ? then.each(input, env, emit) : otherwise.each(input, env, emit),
    ),
  )
}

export function compileLogic(node: NodeOf<'and' | 'or'>, context: Context): Code {
  const left = context.compiler.value(node.left, context)
  const right = context.compiler.value(node.right, context)
  const decisive = node.type === 'or'
  const leftOne = left.single
  const rightOne = right.single
  if (leftOne && rightOne) {
    return fromSingle((input, env) => {
      const a = leftOne(input, env)
      if (a === undefined) return undefined
      if (isTruthy(a) === decisive) return decisive
      const b = rightOne(input, env)
      return b === undefined ? undefined : isTruthy(b)
    })
  }
  return fromEach((input, env, emit) =>
    left.each(input, env, (a) =>
      isTruthy(a) === decisive ? emit(decisive) : right.each(input, env, (b) => emit(isTruthy(b))),
    ),
  )
}

export function compileAlternative(node: NodeOf<'alternative'>, context: Context): Code {
  const left = context.compiler.value(node.left, inner(context))
  const right = context.compiler.value(node.right, context)
  const leftOne = left.single
  const rightOne = right.single
  if (leftOne && rightOne) {
    return fromSingle((input, env) => {
      const value = leftOne(input, env)
      return value !== undefined && value !== null && value !== false ? value : rightOne(input, env)
    })
  }
  return fromEach((input, env, emit) => {
    let found = false
    const signal = left.each(input, env, (value) => {
      if (!isTruthy(value)) return proceed
      found = true
      return emit(value)
    })
    return found ? signal : right.each(input, env, emit)
  })
}

export function compileTry(node: NodeOf<'try'>, context: Context): Code {
  const body = context.compiler.value(node.body, context)
  const handler = node.handler && context.compiler.value(node.handler, context)
  const { meter } = context.machine
  const bodyOne = body.single
  const handlerOne = handler?.single
  if (bodyOne && (handler === undefined || handlerOne)) {
    return fromSingle((input, env) => {
      const depth = meter.depthLeft
      try {
        return bodyOne(input, env)
      } catch (error) {
        if (!isCatchable(error)) throw error
        meter.depthLeft = depth
        return handlerOne?.(error.value, env)
      }
    })
  }
  return fromEach((input, env, emit) =>
    guarded(
      context,
      (emitInside) => body.each(input, env, emitInside),
      emit,
      (value) => (handler ? handler.each(value, env, emit) : proceed),
    ),
  )
}

/** Runs `body`; errors of the body itself go to `failed`, errors of the receiver of its outputs are rethrown. */
export function guarded(
  context: Context,
  body: (emit: (value: Json) => Signal) => Signal,
  emit: (value: Json) => Signal,
  failed: (value: Json) => Signal,
): Signal {
  const { meter } = context.machine
  const depth = meter.depthLeft
  let downstream = false
  try {
    return body((value) => {
      downstream = true
      const signal = emit(value)
      downstream = false
      return signal
    })
  } catch (error) {
    if (downstream || !isCatchable(error)) throw error
    meter.depthLeft = depth
    return failed(error.value)
  }
}

export function compileLabel(node: NodeOf<'label'>, context: Context): Code {
  const { machine } = context
  const scope = extend(context.scope, `*${node.name}`, { type: 'label', depth: context.depth + 1 })
  const body = context.compiler.value(node.body, { ...context, scope, depth: context.depth + 1 })
  return fromEach((input, env, emit) => {
    const label = bind(null, env)
    const depth = machine.meter.depthLeft
    try {
      return body.each(input, label, emit)
    } catch (error) {
      if (!(error instanceof BreakSignal) || machine.breaking !== label) throw error
      machine.meter.depthLeft = depth
      return proceed
    }
  })
}
