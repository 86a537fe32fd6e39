/**
 * Values as streams of events: `[path, leaf]` for each leaf, `[path of the last child]` when an array or object ends.
 */
import type { Json } from '../../runtime/index.ts'
import { type Code, type Each, type Emit, fromEach, proceed, type Signal } from '../compile/code.ts'
import type { Meter } from '../limits.ts'
import { lookUp } from '../values/access.ts'
import { add } from '../values/arithmetic.ts'
import { isArray, isObject } from '../values/kind.ts'
import { Draft, type Path, toPath } from '../values/paths.ts'
import { lengthOf } from './value.ts'

export function toStream(meter: Meter): Code {
  return fromEach((input, _env, emit) => emitEvents(input, [], emit, meter))
}

function emitEvents(value: Json, path: Path, emit: Emit, meter: Meter): Signal {
  meter.spend(1)
  const keys: readonly (string | number)[] = isArray(value)
    ? [...value.keys()]
    : isObject(value)
      ? Object.keys(value)
      : []
  const last = keys.at(-1)
  if (last === undefined) return emit([path, value])
  for (const key of keys) {
    const signal = emitEvents(lookUp(value, key), [...path, key], emit, meter)
    if (signal !== proceed) return signal
  }
  return emit([[...path, last]])
}

/** Builds values from events and emits each value at its last event. */
export function fromStream(events: Each, meter: Meter): Code {
  return fromEach((input, env, emit) => {
    let draft = new Draft(null, meter)
    return events(input, env, (event) => {
      const isLeaf = lengthOf(event) === 2
      const head = lookUp(event, 0)
      const isLast = lengthOf(head) === (isLeaf ? 0 : 1)
      // With `+` as in jq, so that null is the empty path and other values give the same errors.
      if (isLeaf) draft.set(toPath(add(['x'], head, meter)).slice(1), lookUp(event, 1))
      if (!isLast) return proceed
      const { value } = draft
      draft = new Draft(null, meter)
      return emit(value)
    })
  })
}
