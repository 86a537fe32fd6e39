/**
 * Reads parts of values: `.a.b`, `.[k]`, `.[a:b]`, `.[]`. Chains of plain names are compiled to one closure.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import type { Meter } from '../limits.ts'
import type { Node, NodeOf } from '../syntax/ast.ts'
import { cannotIterate, elementAt, lookUp, lookUpOptional } from '../values/access.ts'
import { isArray, isObject } from '../values/kind.ts'
import { isInherited } from '../values/object.ts'
import { type Code, type Emit, fromConstant, fromEach, fromSingle, proceed, type Signal } from './code.ts'
import type { Context } from './scope.ts'

type Look = (value: Json, key: Json) => Json | undefined

export function compileIndex(node: NodeOf<'index'>, context: Context): Code {
  const look: Look = node.optional ? lookUpOptional : lookUp
  const chain = node.optional ? undefined : plainChain(node)
  if (chain !== undefined) {
    const base = context.compiler.value(chain.base, context)
    return afterTarget(base, chain.base.type === 'identity', chainReader(chain.keys))
  }
  const target = context.compiler.value(node.target, context)
  const key = context.compiler.value(node.key, context)
  const { constant } = key
  if (typeof constant === 'number') {
    return afterTarget(target, node.target.type === 'identity', (value) =>
      isArray(value) ? elementAt(value, constant) : look(value, constant),
    )
  }
  if (constant !== undefined) return afterTarget(target, false, (value) => look(value, constant))
  const targetOne = target.single
  const keyOne = key.single
  if (targetOne && keyOne) {
    return fromSingle((input, env) => {
      const name = keyOne(input, env)
      const value = name === undefined ? undefined : targetOne(input, env)
      return name === undefined || value === undefined ? undefined : look(value, name)
    })
  }
  return fromEach((input, env, emit) =>
    key.each(input, env, (name) => target.each(input, env, (value) => emitFound(look(value, name), emit))),
  )
}

/** `.a.b.c` after any expression, when all names are plain keys. */
function plainChain(node: NodeOf<'index'>): { base: Node; keys: string[] } | undefined {
  const keys: string[] = []
  let current: Node = node
  while (current.type === 'index' && !current.optional) {
    const { key }: { key: Node } = current
    if (key.type !== 'literal' || typeof key.value !== 'string' || !isPlainKey(key.value)) break
    keys.unshift(key.value)
    current = current.target
  }
  return keys.length === 0 ? undefined : { base: current, keys }
}

/** Whether reading this name from any object or array gives an own key or undefined. */
function isPlainKey(key: string): boolean {
  return !isInherited(key) && !/^\d+$/.test(key)
}

function field(value: Json, key: string): Json {
  if (typeof value === 'object' && value !== null) {
    const found = (value as JsonObject)[key]
    if (found !== undefined) return found
  }
  return lookUp(value, key)
}

/** Reads one key; faster for a plain key. */
export function fieldReader(key: string): (value: Json) => Json {
  return isPlainKey(key) ? (value) => field(value, key) : (value) => lookUp(value, key)
}

function chainReader(keys: readonly string[]): (value: Json) => Json {
  const [a = '', b = '', c = '', ...rest] = keys
  switch (keys.length) {
    case 1:
      return (value) => field(value, a)
    case 2:
      return (value) => field(field(value, a), b)
    case 3:
      return (value) => field(field(field(value, a), b), c)
    default:
      return (value) => {
        let current = field(field(field(value, a), b), c)
        for (const key of rest) current = field(current, key)
        return current
      }
  }
}

function afterTarget(target: Code, isInput: boolean, read: (value: Json) => Json | undefined): Code {
  if (isInput) return fromSingle(read)
  const { single, each } = target
  if (single) {
    return fromSingle((input, env) => {
      const value = single(input, env)
      return value === undefined ? undefined : read(value)
    })
  }
  return fromEach((input, env, emit) => each(input, env, (value) => emitFound(read(value), emit)))
}

function emitFound(value: Json | undefined, emit: Emit): Signal {
  return value === undefined ? proceed : emit(value)
}

export function compileSlice(node: NodeOf<'slice'>, context: Context): Code {
  const look: Look = node.optional ? lookUpOptional : lookUp
  const target = context.compiler.value(node.target, context)
  const from = edge(node.from, context)
  const to = edge(node.to, context)
  const targetOne = target.single
  const fromOne = from.single
  const toOne = to.single
  if (targetOne && fromOne && toOne) {
    return fromSingle((input, env) => {
      const start = fromOne(input, env)
      const end = start === undefined ? undefined : toOne(input, env)
      const value = end === undefined ? undefined : targetOne(input, env)
      if (start === undefined || end === undefined || value === undefined) return undefined
      return look(value, { start, end })
    })
  }
  return fromEach((input, env, emit) =>
    from.each(input, env, (start) =>
      to.each(input, env, (end) => target.each(input, env, (value) => emitFound(look(value, { start, end }), emit))),
    ),
  )
}

export function edge(node: Node | undefined, context: Context): Code {
  return node === undefined ? fromConstant(null) : context.compiler.value(node, context)
}

export function compileIterate(node: NodeOf<'iterate'>, context: Context): Code {
  const { meter } = context.machine
  const target = context.compiler.value(node.target, context)
  const { single, each } = target
  const walk = node.optional ? iterateOptional : iterate
  if (node.target.type === 'identity') return fromEach((input, _env, emit) => walk(input, emit, meter))
  if (single) {
    return fromEach((input, env, emit) => {
      const value = single(input, env)
      return value === undefined ? proceed : walk(value, emit, meter)
    })
  }
  return fromEach((input, env, emit) => each(input, env, (value) => walk(value, emit, meter)))
}

export function isIterable(value: Json): boolean {
  return isArray(value) || isObject(value)
}

function iterateOptional(value: Json, emit: Emit, meter: Meter): Signal {
  return isIterable(value) ? iterate(value, emit, meter) : proceed
}

export function iterate(value: Json, emit: Emit, meter: Meter): Signal {
  if (isArray(value)) {
    const { length } = value
    meter.spend(length)
    for (let i = 0; i < length; i += 1) {
      const signal = emit(value[i] as Json)
      if (signal !== proceed) return signal
    }
    return proceed
  }
  if (!isObject(value)) throw cannotIterate(value)
  const keys = Object.keys(value)
  meter.spend(keys.length)
  for (const key of keys) {
    const signal = emit(value[key] as Json)
    if (signal !== proceed) return signal
  }
  return proceed
}
