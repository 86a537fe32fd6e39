/**
 * Built-ins that control when their arguments are evaluated: generators, early ends, and paths.
 */
import type { Json } from '../../runtime/index.ts'
import { type Code, fromConstant, fromEach, fromSingle, proceed, type Signal, stop, toArray } from '../compile/code.ts'
import { demandPath } from '../compile/paths.ts'
import type { Context, SpecialForm } from '../compile/scope.ts'
import { compilePlaces, firstOf } from '../compile/updates.ts'
import { runtimeError } from '../error.ts'
import type { Meter } from '../limits.ts'
import type { Node } from '../syntax/ast.ts'
import { isArray, isObject, isTruthy, toDouble } from '../values/kind.ts'
import { type MutableObject, setKey } from '../values/object.ts'
import { Draft, type Path } from '../values/paths.ts'
import { nativeFunctions } from './natives.ts'
import { preludeNames } from './prelude.ts'
import { fromStream, toStream } from './streams.ts'
import { substitute } from './substitution.ts'

function argument(args: readonly Node[], index: number, context: Context): Code {
  const node = args[index]
  if (node === undefined) throw new Error('a form is looked up by its number of arguments')
  return context.compiler.value(node, context)
}

export const specialForms: Readonly<Record<string, SpecialForm | undefined>> = {
  'empty/0': () => fromSingle(() => undefined),
  'not/0': () => fromSingle((input) => !isTruthy(input)),
  'path/1': (args, context) => {
    const [node] = args
    const paths = context.compiler.paths(node as Node, context)
    return fromEach((input, env, emit) =>
      paths(input, input, null, env, (value, at, path) => {
        demandPath(value, at)
        return emit(toArray(path))
      }),
    )
  },
  'del/1': (args, context) => {
    const places = compilePlaces(args[0] as Node, context)
    const { meter } = context.machine
    return fromSingle((input, env) => {
      const paths: Path[] = []
      places.each(input, env, (path) => paths.push(path))
      if (paths.length === 0) return input
      const draft = new Draft(input, meter, paths.length === 1)
      draft.delete(paths)
      return draft.value
    })
  },
  'range/2': (args, context) => {
    const from = argument(args, 0, context).each
    const upto = argument(args, 1, context).each
    const { meter } = context.machine
    return fromEach((input, env, emit) =>
      from(input, env, (start) => upto(input, env, (end) => count(bound(start), bound(end), 1, emit, meter))),
    )
  },
  'range/3': (args, context) => {
    const from = argument(args, 0, context).each
    const upto = argument(args, 1, context).each
    const by = argument(args, 2, context).each
    const { meter } = context.machine
    return fromEach((input, env, emit) =>
      from(input, env, (start) =>
        upto(input, env, (end) => by(input, env, (step) => count(bound(start), bound(end), bound(step), emit, meter))),
      ),
    )
  },
  'first/1': (args, context) => fromSingle(firstOf(argument(args, 0, context))),
  'limit/2': (args, context) => {
    const count = argument(args, 0, context).each
    const body = argument(args, 1, context).each
    return fromEach((input, env, emit) =>
      count(input, env, (limit) => {
        const limitCount = toDouble(limit) ?? Number.POSITIVE_INFINITY
        if (limitCount < 0) throw runtimeError("limit doesn't support negative count")
        if (limitCount <= 0) return proceed
        let seen = 0
        let answer: Signal = proceed
        body(input, env, (value) => {
          seen += 1
          answer = emit(value)
          return seen >= limitCount ? stop : answer
        })
        return answer
      }),
    )
  },
  'isempty/1': (args, context) => {
    const first = firstOf(argument(args, 0, context))
    return fromSingle((input, env) => first(input, env) === undefined)
  },
  'any/2': (args, context) => some(args, context, true),
  'all/2': (args, context) => some(args, context, false),
  'last/1': (args, context) => {
    const { each } = argument(args, 0, context)
    return fromSingle((input, env) => {
      let last: Json | undefined
      each(input, env, (value) => {
        last = value
        return proceed
      })
      return last
    })
  },
  'recurse/0': (_args, context) => {
    const { meter } = context.machine
    return fromEach((input, _env, emit) => descend(input, emit, meter))
  },
  'walk/1': (args, context) => {
    const { single } = argument(args, 0, context)
    const { meter } = context.machine
    return single && fromSingle((input, env) => walk(input, (value) => single(value, env), meter))
  },
  'sub/3': (args, context) => {
    const [pattern, replacement, flags] = args.map((_, index) => argument(args, index, context))
    return pattern && replacement && flags && substitute(pattern, replacement, flags, context.machine.meter)
  },
  'tostream/0': (_args, { machine }) => toStream(machine.meter),
  'fromstream/1': (args, context) => fromStream(argument(args, 0, context).each, context.machine.meter),
  'builtins/0': () => {
    const names = [...Object.keys(specialForms), ...Object.keys(nativeFunctions), ...preludeNames()]
    return fromConstant([...new Set(names)].filter((name) => !name.startsWith('_')))
  },
  'inputs/0': (_args, { machine }) =>
    fromEach((_input, _env, emit) => {
      for (;;) {
        const value = machine.surroundings.input?.()
        if (value === undefined) return proceed
        const signal = emit(value)
        if (signal !== proceed) return signal
      }
    }),
}

/** From the leaves upwards; a value that changes to nothing is removed from its array or object. */
function walk(value: Json, change: (value: Json) => Json | undefined, meter: Meter): Json | undefined {
  if (--meter.left < 0) meter.exhausted()
  if (isArray(value)) {
    const items: Json[] = []
    for (const item of value) {
      const changed = walk(item, change, meter)
      if (changed !== undefined) items.push(changed)
    }
    return change(items)
  }
  if (!isObject(value)) return change(value)
  const object: MutableObject = {}
  for (const key of Object.keys(value)) {
    const changed = walk(value[key] as Json, change, meter)
    if (changed !== undefined) setKey(object, key, changed)
  }
  return change(object)
}

/** `any` or `all`; stops at the first output that decides. */
function some(args: readonly Node[], context: Context, wanted: boolean): Code {
  const generator = argument(args, 0, context)
  const condition = argument(args, 1, context)
  return fromSingle((input, env) => {
    let decided = false
    generator.each(input, env, (value) =>
      condition.each(value, env, (verdict) => {
        if (isTruthy(verdict) !== wanted) return proceed
        decided = true
        return stop
      }),
    )
    return decided === wanted
  })
}

function bound(value: Json): number {
  const number = toDouble(value)
  if (number === undefined) throw runtimeError('Range bounds must be numeric')
  return number
}

function count(from: number, upto: number, by: number, emit: (value: Json) => Signal, meter: Meter): Signal {
  if (by > 0) {
    for (let value = from; value < upto; value += by) {
      if (--meter.left < 0) meter.exhausted()
      const signal = emit(value)
      if (signal !== proceed) return signal
    }
  } else if (by < 0) {
    for (let value = from; value > upto; value += by) {
      if (--meter.left < 0) meter.exhausted()
      const signal = emit(value)
      if (signal !== proceed) return signal
    }
  }
  return proceed
}

function descend(value: Json, emit: (value: Json) => Signal, meter: Meter): Signal {
  if (--meter.left < 0) meter.exhausted()
  const signal = emit(value)
  if (signal !== proceed) return signal
  if (isArray(value)) {
    for (const item of value) {
      const below = descend(item, emit, meter)
      if (below !== proceed) return below
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const below = descend(value[key] as Json, emit, meter)
      if (below !== proceed) return below
    }
  }
  return proceed
}
