/**
 * Arithmetic and comparison. The right side is evaluated first and varies slowest, as in jq.
 */
import type { Json } from '../../runtime/index.ts'
import type { Meter } from '../limits.ts'
import type { ArithmeticOperator, ComparisonOperator, NodeOf } from '../syntax/ast.ts'
import { add, divide, modulo, multiply, subtract } from '../values/arithmetic.ts'
import { compare, equals } from '../values/compare.ts'
import { type Code, fromEach, fromSingle, type Single } from './code.ts'
import type { Context } from './scope.ts'

type Operation = (left: Json, right: Json) => Json

export function operation(operator: ArithmeticOperator, meter: Meter): Operation {
  switch (operator) {
    case '+':
      return (left, right) =>
        typeof left === 'number' && typeof right === 'number' ? left + right : add(left, right, meter)
    case '-':
      return (left, right) => subtract(left, right, meter)
    case '*':
      return (left, right) => multiply(left, right, meter)
    case '/':
      return divide
    case '%':
      return modulo
  }
}

function comparison(operator: ComparisonOperator): (left: Json, right: Json) => boolean {
  switch (operator) {
    case '==':
      return equals
    case '!=':
      return (left, right) => !equals(left, right)
    case '<':
      return (left, right) => compare(left, right) < 0
    case '<=':
      return (left, right) => compare(left, right) <= 0
    case '>':
      return (left, right) => compare(left, right) > 0
    case '>=':
      return (left, right) => compare(left, right) >= 0
  }
}

export function compileArithmetic(node: NodeOf<'arithmetic'>, context: Context): Code {
  const apply = operation(node.operator, context.machine.meter)
  return combine(context.compiler.value(node.left, context), context.compiler.value(node.right, context), apply)
}

export function compileComparison(node: NodeOf<'comparison'>, context: Context): Code {
  const left = context.compiler.value(node.left, context)
  const right = context.compiler.value(node.right, context)
  const { constant } = right
  const { single } = left
  if (single && constant !== undefined) {
    const fast = compareWith(single, node.operator, constant)
    if (fast) return fromSingle(fast)
  }
  return combine(left, right, comparison(node.operator))
}

/** A constant null or boolean is compared by identity. */
function compareWith(single: Single, operator: ComparisonOperator, constant: Json): Single | undefined {
  const byIdentity = typeof constant === 'string' || typeof constant === 'boolean' || constant === null
  if (operator === '==' && byIdentity) {
    return (input, env) => {
      const value = single(input, env)
      return value === undefined ? undefined : value === constant
    }
  }
  if (operator === '!=' && byIdentity) {
    return (input, env) => {
      const value = single(input, env)
      return value === undefined ? undefined : value !== constant
    }
  }
  if (typeof constant !== 'number' || Number.isNaN(constant)) return undefined
  const general = comparison(operator)
  const fast = numeric(operator, constant)
  return (input, env) => {
    const value = single(input, env)
    if (typeof value === 'number' && !Number.isNaN(value)) return fast(value)
    return value === undefined ? undefined : general(value, constant)
  }
}

function numeric(operator: ComparisonOperator, constant: number): (value: number) => boolean {
  switch (operator) {
    case '==':
      return (value) => value === constant
    case '!=':
      return (value) => value !== constant
    case '<':
      return (value) => value < constant
    case '<=':
      return (value) => value <= constant
    case '>':
      return (value) => value > constant
    case '>=':
      return (value) => value >= constant
  }
}

function combine(left: Code, right: Code, apply: Operation): Code {
  const leftOne = left.single
  const rightOne = right.single
  if (leftOne && rightOne) {
    return fromSingle((input, env) => {
      const b = rightOne(input, env)
      const a = b === undefined ? undefined : leftOne(input, env)
      return a === undefined || b === undefined ? undefined : apply(a, b)
    })
  }
  return fromEach((input, env, emit) => right.each(input, env, (b) => left.each(input, env, (a) => emit(apply(a, b)))))
}
