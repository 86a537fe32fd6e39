/**
 * Compiled expressions: closures in continuation-passing style. `each` passes every output to `emit`; an expression with at most one
 * output also has `single`, which returns it (or undefined) without creating a closure per evaluation.
 */
import type { Json } from '../../runtime/index.ts'

/** `proceed`: continue; `stop`: the receiver needs no more outputs; `tail`: a call in tail position is stored in the machine. */
export const proceed = 0
export const stop = 1
export const tail = 2
export type Signal = typeof proceed | typeof stop | typeof tail

export type Emit = (value: Json) => Signal
export type Each = (input: Json, env: Env, emit: Emit) => Signal
export type Single = (input: Json, env: Env) => Json | undefined

/** A path as a linked list that is extended at its end without copying; null is the empty path. */
export interface PathLink {
  readonly key: Json
  readonly up: PathLink | null
  readonly length: number
}

/**
 * Path mode passes three things: the value, the last known path, and the value at that path. A computed value differs from the value at
 * the path; using it as a path is the error "Invalid path expression".
 */
export type PathEmit = (value: Json, at: Json, path: PathLink | null) => Signal
export type PathEach = (input: Json, at: Json, path: PathLink | null, env: Env, emit: PathEmit) => Signal

export interface Code {
  readonly single: Single | undefined
  readonly each: Each
  /** The output, if it is constant. */
  readonly constant?: Json
}

/** Variables, closures and labels, innermost first. Immutable, so that backtracking needs no undo. */
export class Env {
  readonly value: Json
  readonly closures: readonly Closure[]
  readonly up: Env | null

  constructor(value: Json, closures: readonly Closure[], up: Env | null) {
    this.value = value
    this.closures = closures
    this.up = up
  }
}

/** An argument of a function with its environment. */
export interface Closure {
  readonly argument: Argument
  readonly env: Env
}

export interface Argument {
  readonly each: Each
  readonly paths: () => PathEach
}

const none: readonly Closure[] = []

export function bind(value: Json, env: Env): Env {
  return new Env(value, none, env)
}

export function ancestor(env: Env, hops: number): Env {
  let current = env
  for (let i = 0; i < hops; i += 1) current = current.up ?? current
  return current
}

export function fromSingle(single: Single): Code {
  return {
    single,
    each: (input, env, emit) => {
      const value = single(input, env)
      return value === undefined ? proceed : emit(value)
    },
  }
}

export function fromConstant(constant: Json): Code {
  return { single: () => constant, each: (_input, _env, emit) => emit(constant), constant }
}

export function fromEach(each: Each): Code {
  return { single: undefined, each }
}

export function toArray(path: PathLink | null): Json[] {
  const keys: Json[] = new Array(path?.length ?? 0)
  for (let link = path; link !== null; link = link.up) keys[link.length - 1] = link.key
  return keys
}

export function append(path: PathLink | null, key: Json): PathLink {
  return { key, up: path, length: path === null ? 1 : path.length + 1 }
}
