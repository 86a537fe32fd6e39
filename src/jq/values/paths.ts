/**
 * Reads, sets and deletes at paths. A `Draft` is a value that is changed: it copies a container at the first change and changes its own
 * copy afterwards, so that many updates of one value cost one copy.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import { runtimeError } from '../error.ts'
import { type Meter, maxValueDepth } from '../limits.ts'
import { cannotIndex, lookUp, sliceBounds } from './access.ts'
import { compare, equals } from './compare.ts'
import { isArray, isObject, kindOf, toDouble } from './kind.ts'
import { type MutableObject, setKey } from './object.ts'

export type Path = readonly Json[]

const maxIndex = 536_870_911

export function toPath(value: Json): Path {
  if (!isArray(value)) throw runtimeError('Path must be specified as an array')
  if (value.length > maxValueDepth) throw runtimeError('Path too deep')
  return value
}

export function getPath(value: Json, path: Path): Json {
  let current = value
  for (const key of path) current = lookUp(current, key)
  return current
}

/** Errors that jq reports on the way down, before it reads the following keys. */
function checkStep(value: Json, key: Json): void {
  if (isArray(key) && isArray(value)) throw runtimeError('Cannot update field at array index of array')
  if (typeof key !== 'number' || key > -1 || !(value === null || isArray(value))) return
  if (Math.trunc(key) + (value?.length ?? 0) < 0) throw runtimeError('Out of bounds negative array index')
}

export class Draft {
  value: Json
  readonly #owned: Set<Json> | undefined
  readonly #meter: Meter

  /** With `once`, the draft is for a single change and does not track its copies. */
  constructor(value: Json, meter: Meter, once = false) {
    this.value = value
    this.#meter = meter
    this.#owned = once ? undefined : new Set()
  }

  /** The value at a path as an output: copies of the draft in it are no longer owned and are copied again before the next change. */
  release(path: Path): Json {
    const found = getPath(this.value, path)
    if (typeof found === 'object' && this.#owned?.has(found)) this.#owned.clear()
    return found
  }

  set(path: Path, value: Json): void {
    const parents: Json[] = []
    let current = this.value
    for (const key of path) {
      parents.push(current)
      if (parents.length === path.length) break
      checkStep(current, key)
      current = lookUp(current, key)
    }
    this.#rebuild(parents, path, value)
  }

  /** Deletes all paths at once: positions in an array refer to the array before the deletion. */
  delete(paths: readonly Path[]): void {
    if (paths.some((path) => path.length === 0)) this.value = null
    else if (paths.length > 0) {
      this.value = this.#deleteBelow(this.value, paths.length > 1 ? [...paths].sort(compare) : paths, 0)
    }
  }

  /** Sorted paths with the same key are adjacent, the shortest first. */
  #deleteBelow(target: Json, paths: readonly Path[], level: number): Json {
    const keys: Json[] = []
    let changed = target
    for (let from = 0; from < paths.length; ) {
      const path = paths[from] ?? []
      const key = path[level] ?? null
      let to = from + 1
      while (to < paths.length && equals(paths[to]?.[level] ?? null, key)) to += 1
      if (path.length === level + 1) keys.push(key)
      else {
        const below = lookUp(changed, key)
        const left = below === null ? null : this.#deleteBelow(below, paths.slice(from, to), level + 1)
        if (below !== null) changed = this.#assign(changed, key, left)
      }
      from = to
    }
    return keys.length === 0 || changed === null ? changed : this.#remove(changed, keys)
  }

  #rebuild(parents: readonly Json[], path: Path, value: Json): void {
    let built = value
    for (let i = parents.length - 1; i >= 0; i -= 1) built = this.#assign(parents[i] ?? null, path[i] ?? null, built)
    this.value = built
  }

  #assign(target: Json, key: Json, value: Json): Json {
    if (typeof key === 'string' && (target === null || isObject(target))) {
      const object = this.#ownObject(target ?? {})
      setKey(object, key, value)
      return object
    }
    const position = toDouble(key)
    if (position !== undefined && (target === null || isArray(target))) {
      return this.#assignElement(target ?? [], position, value)
    }
    if (isObject(key) && (target === null || isArray(target))) {
      const { start, end } = sliceBounds(key, target?.length ?? 0)
      if (!isArray(value)) throw runtimeError('A slice of an array can only be assigned another array')
      return this.#splice(target ?? [], start, end, value)
    }
    if (isObject(key) && typeof target === 'string') throw runtimeError('Cannot update string slices')
    if (isArray(key) && isArray(target)) throw runtimeError('Cannot update field at array index of array')
    throw cannotIndex(target, key)
  }

  #assignElement(target: readonly Json[], position: number, value: Json): Json {
    if (Number.isNaN(position)) throw runtimeError('Cannot set array element at NaN index')
    let index = Math.trunc(position)
    if (index < 0) index += target.length
    if (index < 0) throw runtimeError('Out of bounds negative array index')
    if (index > maxIndex) throw runtimeError('Array index too large')
    const array = this.#ownArray(target)
    if (index > array.length) {
      this.#meter.spend(index - array.length)
      for (let i = array.length; i < index; i += 1) array.push(null)
    }
    array[index] = value
    return array
  }

  #remove(target: Json, keys: readonly Json[]): Json {
    if (isArray(target)) {
      const gone = new Set<number>()
      for (const key of keys) {
        const position = toDouble(key)
        if (position !== undefined) gone.add(Math.trunc(position) + (position < 0 ? target.length : 0))
        else if (isObject(key)) {
          const { start, end } = sliceBounds(key, target.length)
          for (let i = start; i < end; i += 1) gone.add(i)
        } else throw runtimeError(`Cannot delete ${kindOf(key)} element of array`)
      }
      this.#meter.spend(target.length >> 3)
      const rest = target.filter((_, index) => !gone.has(index))
      return rest.length === target.length ? target : rest
    }
    if (!isObject(target)) throw runtimeError(`Cannot delete fields from ${kindOf(target)}`)
    const odd = keys.find((key) => typeof key !== 'string')
    if (odd !== undefined) throw runtimeError(`Cannot delete ${kindOf(odd)} field of object`)
    return this.#without(target, keys as readonly string[])
  }

  /** Builds a new object: `delete` would turn the object into a slow dictionary. */
  #without(target: JsonObject, gone: readonly string[]): JsonObject {
    if (!gone.some((key) => Object.hasOwn(target, key))) return target
    const rest: MutableObject = {}
    const keys = Object.keys(target)
    this.#meter.spend(keys.length >> 2)
    for (const key of keys) if (!gone.includes(key)) setKey(rest, key, target[key] as Json)
    return rest
  }

  #splice(target: readonly Json[], start: number, end: number, items: readonly Json[]): Json {
    this.#meter.spend((target.length + items.length) >> 3)
    const spliced = [...target.slice(0, start), ...items, ...target.slice(end)]
    this.#owned?.add(spliced)
    return spliced
  }

  #ownObject(object: JsonObject): MutableObject {
    if (this.#owned?.has(object)) return object as MutableObject
    const copy = { ...object }
    this.#owned?.add(copy)
    return copy
  }

  #ownArray(array: readonly Json[]): Json[] {
    if (this.#owned?.has(array)) return array as Json[]
    this.#meter.spend(array.length >> 3)
    const copy = array.slice()
    this.#owned?.add(copy)
    return copy
  }
}
