/**
 * The state that the closures of a program share during a run: the budget, the surroundings, and the signals for `break` and tail calls.
 * Runs do not overlap (a run inside a callback of another saves and restores the state), so a program has one machine.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import { JqError } from '../error.ts'
import type { Limits } from '../limits.ts'
import { Meter } from '../limits.ts'
import type { Emit, Env, Signal } from './code.ts'
import { tail } from './code.ts'

/** What a program can access outside itself. Everything is optional; the defaults give no access. */
export interface Surroundings {
  /** `$ENV` and `env`. @default {} */
  readonly env?: Readonly<Record<string, string>>
  /** Returns the next value for `input`, undefined at the end. @default always at the end */
  readonly input?: () => Json | undefined
  /** Seconds since 1970 for `now`. @default 0 */
  readonly now?: () => number
  /** Offset of local time from UTC in seconds at an instant, and the name of the zone. @default UTC */
  readonly zone?: (seconds: number) => { readonly offset: number; readonly name: string }
  /** Receives the messages of `debug` and `stderr`. @default dropped */
  readonly message?: (kind: 'debug' | 'stderr', value: Json) => void
  readonly inputFilename?: () => string | undefined
  readonly inputLineNumber?: () => number
}

export interface Cell {
  run: (input: Json, env: Env, emit: Emit) => Signal
}

/** Thrown by `break`; the label is in the machine. One shared object, so that no stack trace is created. */
export class BreakSignal extends Error {}

export class Machine {
  readonly meter: Meter
  readonly breakSignal = new BreakSignal('break')
  surroundings: Surroundings = {}
  variables: JsonObject = {}
  moduleMeta: (path: Json) => Json = () => null
  /** The label of the current break. */
  breaking: Env | undefined
  #next: Cell | undefined
  #nextInput: Json = null
  #nextEnv: Env | undefined

  constructor(limits: Limits) {
    this.meter = new Meter(limits)
  }

  /** Stores a call in tail position; the caller of the current function executes it. */
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

/** Errors that `try` catches; limits, halts and breaks are never caught. */
export function isCatchable(error: unknown): error is JqError {
  return error instanceof JqError && error.kind === 'runtime'
}

/** A function written in TypeScript; returns undefined for no output. */
export type Native = (input: Json, args: readonly Json[], machine: Machine) => Json | undefined
