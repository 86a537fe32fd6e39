/**
 * Constructs values: arrays, objects, strings with interpolation.
 */
import type { Json } from '../../runtime/index.ts'
import { formatText } from '../builtins/formats.ts'
import { runtimeError } from '../error.ts'
import type { Node, NodeOf } from '../syntax/ast.ts'
import { lookUp } from '../values/access.ts'
import { describe } from '../values/describe.ts'
import { isArray, isObject } from '../values/kind.ts'
import { type MutableObject, setKey } from '../values/object.ts'
import { fieldReader, iterate } from './access.ts'
import {
  type Code,
  type Emit,
  type Env,
  fromConstant,
  fromEach,
  fromSingle,
  proceed,
  type Signal,
  type Single,
} from './code.ts'
import type { Context } from './scope.ts'

export function compileArray(node: NodeOf<'array'>, context: Context): Code {
  const { body } = node
  if (body === undefined) return fromConstant([])
  const mapped = compileMap(body, context)
  if (mapped) return mapped
  const { single, each } = context.compiler.value(body, context)
  if (single) {
    return fromSingle((input, env) => {
      const value = single(input, env)
      return value === undefined ? [] : [value]
    })
  }
  return fromSingle((input, env) => {
    const items: Json[] = []
    each(input, env, (value) => {
      items.push(value)
      return proceed
    })
    return items
  })
}

/** `[.[] | f]` with one output per element is compiled to a loop. */
function compileMap(body: Node, context: Context): Code | undefined {
  const isPipe = body.type === 'pipe'
  const iteration = isPipe ? body.left : body
  if (iteration.type !== 'iterate' || iteration.optional) return undefined
  const source = context.compiler.value(iteration.target, context).single
  const change = isPipe ? context.compiler.value(body.right, context).single : (input: Json) => input
  if (source === undefined || change === undefined) return undefined
  const { meter } = context.machine
  return fromSingle((input, env) => {
    const value = source(input, env)
    if (value === undefined) return []
    const items: Json[] = []
    if (isArray(value)) {
      meter.spend(value.length)
      for (let i = 0; i < value.length; i += 1) {
        const item = change(value[i] as Json, env)
        if (item !== undefined) items.push(item)
      }
      return items
    }
    iterate(
      value,
      (element) => {
        const item = change(element, env)
        if (item !== undefined) items.push(item)
        return proceed
      },
      meter,
    )
    return items
  })
}

interface EntryCode {
  readonly key: Code
  /** Absent: the value of the input under the key. */
  readonly value: Code | undefined
}

export function compileObject(node: NodeOf<'object'>, context: Context): Code {
  const entries = node.entries.map(
    ({ key, value }): EntryCode => ({
      key: context.compiler.value(key, context),
      value: value === undefined ? undefined : context.compiler.value(value, context),
    }),
  )
  if (entries.length === 0) return fromConstant({})
  return compileRecord(entries) ?? compileEntries(entries)
}

/** The common case: constant keys and single values. */
function compileRecord(entries: readonly EntryCode[]): Code | undefined {
  const keys: string[] = []
  const values: Single[] = []
  for (const { key, value } of entries) {
    const name = key.constant
    if (typeof name !== 'string') return undefined
    const single: Single | undefined = value === undefined ? fieldReader(name) : value.single
    if (single === undefined) return undefined
    keys.push(name)
    values.push(single)
  }
  const [first, second] = values
  const [a = '', b = ''] = keys
  const safe = !keys.includes('__proto__') && new Set(keys).size === keys.length
  if (safe && first && keys.length === 1) {
    return fromSingle((input, env) => {
      const value = first(input, env)
      return value === undefined ? undefined : { [a]: value }
    })
  }
  if (safe && first && second && keys.length === 2) {
    return fromSingle((input, env) => {
      const value = first(input, env)
      const other = value === undefined ? undefined : second(input, env)
      return value === undefined || other === undefined ? undefined : { [a]: value, [b]: other }
    })
  }
  const { length } = keys
  return fromSingle((input, env) => {
    const object: MutableObject = {}
    for (let i = 0; i < length; i += 1) {
      const value = (values[i] as Single)(input, env)
      if (value === undefined) return undefined
      setKey(object, keys[i] as string, value)
    }
    return object
  })
}

function compileEntries(entries: readonly EntryCode[]): Code {
  return fromEach((input, env, emit) => fill(entries, 0, {}, input, env, emit))
}

function fill(
  entries: readonly EntryCode[],
  index: number,
  object: MutableObject,
  input: Json,
  env: Env,
  emit: Emit,
): Signal {
  const entry = entries[index]
  if (entry === undefined) return emit(object)
  return entry.key.each(input, env, (name) => {
    const next = (value: Json): Signal => {
      if (typeof name !== 'string') throw runtimeError(`Cannot use ${describe(name)} as object key`)
      const filled = { ...object }
      setKey(filled, name, value)
      return fill(entries, index + 1, filled, input, env, emit)
    }
    if (entry.value) return entry.value.each(input, env, next)
    if (typeof name !== 'string' && isObject(input)) throw runtimeError(`Cannot use ${describe(name)} as object key`)
    return next(lookUp(input, name))
  })
}

export function compileFormat(name: string, context: Context): Code {
  const { meter } = context.machine
  return fromSingle((input) => formatText(name, input, meter))
}

/** Interpolation is a chain of additions, so the last part varies slowest. */
export function compileText(node: NodeOf<'text'>, context: Context): Code {
  const { meter } = context.machine
  const parts = node.parts.map((part) =>
    typeof part === 'string'
      ? fromConstant(part)
      : formatted(context.compiler.value(part, context), node.format, context),
  )
  const singles = parts.map((part) => part.single)
  if (singles.every((single) => single !== undefined)) {
    return fromSingle((input, env) => {
      let text = ''
      for (const single of singles) {
        const part = single(input, env)
        if (part === undefined) return undefined
        text += part as string
      }
      return text
    })
  }
  const join = (index: number, tail: string, input: Json, env: Env, emit: Emit): Signal => {
    const part = parts[index]
    if (part === undefined) return emit(tail)
    meter.spend(1)
    return part.each(input, env, (text) => join(index - 1, (text as string) + tail, input, env, emit))
  }
  return fromEach((input, env, emit) => join(parts.length - 1, '', input, env, emit))
}

function formatted(code: Code, format: string, context: Context): Code {
  const { meter } = context.machine
  const { single, each } = code
  if (single) {
    return fromSingle((input, env) => {
      const value = single(input, env)
      return value === undefined ? undefined : formatText(format, value, meter)
    })
  }
  return fromEach((input, env, emit) => each(input, env, (value) => emit(formatText(format, value, meter))))
}
