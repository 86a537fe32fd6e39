/**
 * What the closures of one program share while it runs: the budget, what the caller gave, and the two ways of leaving early.
 * Runs never overlap (a run inside a callback of another saves and restores it), so one machine per program is enough.
 */
import type { Json, JsonObject } from '../../runtime/json.ts'
import { JqError } from '../error.ts'
import type { Limits } from '../limits.ts'
import { Meter } from '../limits.ts'
import type { Emit, Env, Signal } from './code.ts'
import { tail } from './code.ts'

/** What a program may learn from outside. Everything is optional and harmless by default. */
export interface Surroundings {
  /** `$ENV` and `env`. @default {} */
  readonly env?: Readonly<Record<string, string>>
  /** Gives the next value for `input`, undefined at the end. @default always at the end */
  readonly input?: () => Json | undefined
  /** Seconds since 1970 for `now`. @default 0 */
  readonly now?: () => number
  /** Seconds that local time is ahead of UTC at a moment, and the zone's name. @default UTC */
  readonly zone?: (seconds: number) => { readonly offset: number; readonly name: string }
  /** Receives what `debug` and `stderr` say. @default dropped */
  readonly message?: (kind: 'debug' | 'stderr', value: Json) => void
  readonly inputFilename?: () => string | undefined
  readonly inputLineNumber?: () => number
}

export interface Cell {
  run: (input: Json, env: Env, emit: Emit) => Signal
}

/** Thrown by `break`; the label it looks for stands in the machine. One object serves all, so leaving costs no stack trace. */
export class BreakSignal extends Error {}

export class Machine {
  readonly meter: Meter
  readonly breakSignal = new BreakSignal('break')
  surroundings: Surroundings = {}
  variables: JsonObject = {}
  moduleMeta: (path: Json) => Json = () => null
  /** The label that the break under way looks for. */
  breaking: Env | undefined
  #next: Cell | undefined
  #nextInput: Json = null
  #nextEnv: Env | undefined

  constructor(limits: Limits) {
    this.meter = new Meter(limits)
  }

  /** Leaves a call in tail position to whoever made the call we are in. */
  later(cell: Cell, input: Json, env: Env): Signal {
    this.#next = cell
    this.#nextInput = input
    this.#nextEnv = env
    return tail
  }

  /** Runs a function and the chain of tail calls it ends in. */
  call(cell: Cell, input: Json, env: Env, emit: Emit): Signal {
    const { meter } = this
    if (--meter.left < 0) meter.exhausted()
    if (--meter.depthLeft < 0) meter.tooDeep()
    let signal = cell.run(input, env, emit)
    while (signal === tail) {
      if (--meter.left < 0) meter.exhausted()
      signal = (this.#next ?? cell).run(this.#nextInput, this.#nextEnv ?? env, emit)
    }
    meter.depthLeft += 1
    return signal
  }
}

/** Errors that a program can see; limits, halts and breaks pass through every `try`. */
export function isCatchable(error: unknown): error is JqError {
  return error instanceof JqError && error.kind === 'runtime'
}

/** A function written in TypeScript; returns undefined for no output. */
export type Native = (input: Json, args: readonly Json[], machine: Machine) => Json | undefined
