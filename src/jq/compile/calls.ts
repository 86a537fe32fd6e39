/**
 * Variables, breaks, and calls. Functions that are not recursive are inlined with their arguments; recursive ones become cells that are
 * called at run time, in tail position without growing the stack.
 */
import { nativeFunctions } from '../builtins/natives.ts'
import { preludeDefinition } from '../builtins/prelude.ts'
import type { Node, NodeOf } from '../syntax/ast.ts'
import { syntaxError } from '../syntax/location.ts'
import {
  type Argument,
  ancestor,
  type Closure,
  type Code,
  Env,
  fromConstant,
  fromEach,
  fromSingle,
  type PathEach,
} from './code.ts'
import type { Cell } from './machine.ts'
import { compileNative } from './native.ts'
import {
  bodyOf,
  type Context,
  extend,
  type FunctionEntry,
  find,
  functionName,
  makeFunction,
  type Scope,
} from './scope.ts'

export const preludeSource = { name: '<builtin>', text: '' }

export function compileVariable(node: NodeOf<'variable'>, context: Context): Code {
  const { machine } = context
  const entry = find(context.scope, `$${node.name}`)
  if (entry?.type === 'constant') return fromConstant(entry.value)
  if (entry?.type === 'variable') {
    const hops = context.depth - entry.depth
    switch (hops) {
      case 0:
        return fromSingle((_input, env) => env.value)
      case 1:
        return fromSingle((_input, env) => (env.up as Env).value)
      default:
        return fromSingle((_input, env) => ancestor(env, hops).value)
    }
  }
  if (node.name === 'ENV') return fromSingle(() => machine.surroundings.env ?? {})
  const { name } = node
  if (context.compiler.globals.has(name)) {
    return fromSingle(() => (Object.hasOwn(machine.variables, name) ? machine.variables[name] : null))
  }
  throw syntaxError(context.source, node, `$${name} is not defined`)
}

export function compileBreak(node: NodeOf<'break'>, context: Context): Code {
  const { machine } = context
  const entry = find(context.scope, `*${node.name}`)
  if (entry?.type !== 'label') throw syntaxError(context.source, node, `$*label-${node.name} is not defined`)
  const hops = context.depth - entry.depth
  return fromEach((_input, env) => {
    machine.breaking = ancestor(env, hops)
    throw machine.breakSignal
  })
}

export function compileDefine(node: NodeOf<'define'>, context: Context): Code {
  const { scope } = makeFunction(node.definition, context)
  return context.compiler.value(node.rest, { ...context, scope })
}

export function compileCall(node: NodeOf<'call'>, context: Context): Code {
  const key = functionName(node.name, node.args.length)
  const entry = find(context.scope, key)
  if (entry !== undefined) {
    switch (entry.type) {
      case 'function':
        return callFunction(entry, node.args, context)
      case 'argument':
        return context.compiler.value(entry.node, {
          ...context,
          scope: entry.scope,
          source: entry.source,
        })
      case 'closure': {
        const hops = context.depth - entry.depth
        const { index } = entry
        return fromEach((input, env, emit) => {
          const { argument, env: own } = ancestor(env, hops).closures[index] as Closure
          return argument.each(input, own, emit)
        })
      }
      default:
        break
    }
  }
  const special = context.compiler.specialForm(key)?.(node.args, { ...context, tail: false })
  if (special) return special
  const native = nativeFunctions[key]
  if (key === 'fromjson/0' || key === 'tonumber/0') context.compiler.mayHoldLiterals = true
  if (native) return compileNative(native, node.args, { ...context, tail: false })
  return callFunction(preludeFunction(node, key, context), node.args, context)
}

/** Built-in functions see only each other, not the definitions of the program. */
export function preludeFunction(node: NodeOf<'call'>, key: string, context: Context): FunctionEntry {
  const definition = preludeDefinition(key)
  if (definition === undefined) throw syntaxError(context.source, node, `${key} is not defined`)
  return makeFunction(definition, { ...context, scope: undefined, source: preludeSource })
}

function callFunction(entry: FunctionEntry, args: readonly Node[], context: Context): Code {
  if (!entry.recursive && context.compiler.mayInline) {
    const scope = inlineScope(entry, args, context)
    return context.compiler.value(bodyOf(entry.definition), { ...context, scope, source: entry.source })
  }
  return callCell(entry, args, context)
}

export function inlineScope(entry: FunctionEntry, args: readonly Node[], context: Context): Scope | undefined {
  let { scope } = entry
  entry.definition.parameters.forEach((parameter, index) => {
    const node = args[index]
    if (node === undefined) return
    const name = functionName(parameter.replace('$', ''), 0)
    scope = extend(scope, name, { type: 'argument', node, scope: context.scope, source: context.source })
  })
  return scope
}

function callCell(entry: FunctionEntry, args: readonly Node[], context: Context): Code {
  const { machine } = context
  const cell = cellOf(entry, context)
  const hops = context.depth - entry.depth
  const argumentsOf = compileArguments(args, context)
  const enter = (env: Env): Env => enterFunction(argumentsOf, env, hops)
  if (context.tail) return fromEach((input, env) => machine.later(cell, input, enter(env)))
  return fromEach((input, env, emit) => machine.call(cell, input, enter(env), emit))
}

export function enterFunction(args: readonly Argument[], env: Env, hops: number): Env {
  const outer = ancestor(env, hops)
  if (args.length === 0) return outer
  return new Env(
    null,
    args.map((argument) => ({ argument, env })),
    outer,
  )
}

export function compileArguments(args: readonly Node[], context: Context): Argument[] {
  const plain: Context = { ...context, tail: false }
  return args.map((node) => {
    let paths: PathEach | undefined
    return {
      each: context.compiler.value(node, plain).each,
      paths: () => {
        paths ??= context.compiler.paths(node, plain)
        return paths
      },
    }
  })
}

/** The body is compiled on the first call; until then the cell is a placeholder. */
function cellOf(entry: FunctionEntry, context: Context): Cell {
  if (entry.cell) return entry.cell
  const cell: Cell = {
    run: () => {
      throw new Error('a function is compiled before it runs')
    },
  }
  entry.cell = cell
  cell.run = context.compiler.value(bodyOf(entry.definition), { ...bodyContext(entry, context), tail: true }).each
  return cell
}

export function bodyContext(entry: FunctionEntry, context: Context): Context {
  const { parameters } = entry.definition
  const depth = entry.depth + (parameters.length > 0 ? 1 : 0)
  let { scope } = entry
  parameters.forEach((parameter, index) => {
    scope = extend(scope, functionName(parameter.replace('$', ''), 0), { type: 'closure', depth, index })
  })
  return { ...context, scope, source: entry.source, depth, tail: false }
}
