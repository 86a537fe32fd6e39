/**
 * The two compilers: `value` compiles an expression to code that yields values, `paths` to code that also yields paths. Each kind of node
 * is compiled in its own file; this one dispatches.
 */
import { specialForms } from '../builtins/special.ts'
import type { Node } from '../syntax/ast.ts'
import { negate } from '../values/arithmetic.ts'
import { isLiteral } from '../values/literal.ts'
import { compileIndex, compileIterate, compileSlice } from './access.ts'
import { compileAs, compileForeach, compileReduce } from './binding.ts'
import { compileBreak, compileCall, compileDefine, compileVariable } from './calls.ts'
import { type Code, fromConstant, fromEach, fromSingle, type PathEach, proceed } from './code.ts'
import { compileArray, compileFormat, compileObject, compileText } from './construct.ts'
import { compileAlternative, compileIf, compileLabel, compileLogic, compileTry } from './control.ts'
import { compileArithmetic, compileComparison } from './operators.ts'
import { compilePathNode } from './paths.ts'
import { type Context, inner, type NodeCompiler, type SpecialForm } from './scope.ts'
import { compileUpdate } from './updates.ts'

/** Number of inlined nodes after which functions are called instead of inlined. */
const maxInlinedNodes = 4_000

export class Compiler implements NodeCompiler {
  readonly globals: ReadonlySet<string>
  mayHoldLiterals = false
  #compiled = 0

  constructor(globals: ReadonlySet<string>) {
    this.globals = globals
  }

  get mayInline(): boolean {
    return this.#compiled < maxInlinedNodes
  }

  value(node: Node, context: Context): Code {
    this.#compiled += 1
    switch (node.type) {
      case 'identity':
        return identity
      case 'literal':
        if (isLiteral(node.value)) this.mayHoldLiterals = true
        return fromConstant(node.value)
      case 'text':
        return compileText(node, inner(context))
      case 'format':
        return compileFormat(node.name, context)
      case 'index':
        return compileIndex(node, inner(context))
      case 'slice':
        return compileSlice(node, inner(context))
      case 'iterate':
        return compileIterate(node, inner(context))
      case 'array':
        return compileArray(node, inner(context))
      case 'object':
        return compileObject(node, inner(context))
      case 'negate':
        return compileNegate(node.operand, inner(context))
      case 'pipe':
        return compilePipe(node.left, node.right, context)
      case 'comma':
        return compileComma(node.left, node.right, context)
      case 'arithmetic':
        return compileArithmetic(node, inner(context))
      case 'comparison':
        return compileComparison(node, inner(context))
      case 'and':
      case 'or':
        return compileLogic(node, inner(context))
      case 'alternative':
        return compileAlternative(node, context)
      case 'update':
        return compileUpdate(node, inner(context))
      case 'if':
        return compileIf(node, context)
      case 'try':
        return compileTry(node, inner(context))
      case 'reduce':
        return compileReduce(node, inner(context))
      case 'foreach':
        return compileForeach(node, inner(context))
      case 'as':
        return compileAs(node, context)
      case 'label':
        return compileLabel(node, inner(context))
      case 'break':
        return compileBreak(node, context)
      case 'define':
        return compileDefine(node, context)
      case 'call':
        return compileCall(node, context)
      case 'variable':
        return compileVariable(node, context)
    }
  }

  paths(node: Node, context: Context): PathEach {
    this.#compiled += 1
    return compilePathNode(node, inner(context))
  }

  specialForm(key: string): SpecialForm | undefined {
    return specialForms[key]
  }
}

const identity: Code = { single: (input) => input, each: (input, _env, emit) => emit(input) }

function isIdentity(code: Code): boolean {
  return code === identity
}

function compileNegate(operand: Node, context: Context): Code {
  const code = context.compiler.value(operand, context)
  const { single, each, constant } = code
  if (typeof constant === 'number') return fromConstant(negate(constant))
  if (single) {
    return fromSingle((input, env) => {
      const value = single(input, env)
      return value === undefined ? undefined : negate(value)
    })
  }
  return fromEach((input, env, emit) => each(input, env, (value) => emit(negate(value))))
}

function compilePipe(leftNode: Node, rightNode: Node, context: Context): Code {
  const left = context.compiler.value(leftNode, inner(context))
  if (isIdentity(left)) return context.compiler.value(rightNode, context)
  const first = left.single
  // The right side is in tail position only if the left side has a single output.
  const right = context.compiler.value(rightNode, first ? context : inner(context))
  if (isIdentity(right)) return left
  const second = right.single
  const { each } = right
  if (first && second) {
    return fromSingle((input, env) => {
      const value = first(input, env)
      return value === undefined ? undefined : second(value, env)
    })
  }
  if (first) {
    return fromEach((input, env, emit) => {
      const value = first(input, env)
      return value === undefined ? proceed : each(value, env, emit)
    })
  }
  if (second) {
    return fromEach((input, env, emit) =>
      left.each(input, env, (value) => {
        const result = second(value, env)
        return result === undefined ? proceed : emit(result)
      }),
    )
  }
  return fromEach((input, env, emit) => left.each(input, env, (value) => each(value, env, emit)))
}

function compileComma(leftNode: Node, rightNode: Node, context: Context): Code {
  const left = context.compiler.value(leftNode, inner(context)).each
  const right = context.compiler.value(rightNode, context).each
  return fromEach((input, env, emit) => {
    const signal = left(input, env, emit)
    return signal === proceed ? right(input, env, emit) : signal
  })
}
