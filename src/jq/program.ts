/**
 * A compiled program, which can be run many times. `run` computes all outputs before it returns the first, so no run is suspended while
 * its outputs are read.
 */
import type { Json, JsonObject } from '../runtime/index.ts'
import { define, NameCheck } from './compile/check.ts'
import { type Code, Env, proceed, stop } from './compile/code.ts'
import { Compiler } from './compile/compiler.ts'
import { Machine, type Surroundings } from './compile/machine.ts'
import type { Context } from './compile/scope.ts'
import { JqError } from './error.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { Linker, type ModuleResolver } from './modules.ts'
import { parseProgram } from './syntax/program.ts'
import { toPlain } from './values/plain.ts'

export interface CompileOptions extends Surroundings {
  /** The name of the program in messages. @default '<top-level>' */
  readonly name?: string
  /** Names (without `$`) of variables that every run receives. @default none */
  readonly variables?: readonly string[]
  /** Finds the modules of `import` and `include`. @default no modules */
  readonly modules?: ModuleResolver
  /** @default defaultLimits */
  readonly limits?: Partial<Limits>
  /**
   * `plain` gives JavaScript numbers; `literal` keeps the text of numbers that were not changed, for printing with `print`.
   * @default 'plain'
   */
  readonly numbers?: 'plain' | 'literal'
}

const noVariables: JsonObject = {}
const root = new Env(null, [], null)

export class Program {
  readonly source: string
  readonly #code: Code
  readonly #machine: Machine
  readonly #plain: boolean

  constructor(source: string, options: CompileOptions) {
    this.source = source
    this.#machine = new Machine({ ...defaultLimits, ...options.limits })
    this.#machine.surroundings = options
    const compiler = new Compiler(new Set(options.variables))
    try {
      this.#code = compileMain(source, options, compiler, this.#machine)
    } catch (error) {
      if (error instanceof RangeError) throw new JqError('syntax', 'The program is nested too deeply', { cause: error })
      throw error
    }
    this.#plain = options.numbers !== 'literal' && compiler.mayHoldLiterals
  }

  /**
   * All outputs for one input, in order. An error of the program is thrown after the outputs before it have been read.
   *
   * @example [...compile('.items[].name').run(list)]
   */
  run(input: Json, variables: JsonObject = noVariables): Iterable<Json> {
    const outputs: Json[] = []
    try {
      this.each(
        input,
        (value) => {
          outputs.push(value)
        },
        variables,
      )
    } catch (error) {
      return { [Symbol.iterator]: () => thenThrow(outputs, error) }
    }
    return outputs
  }

  /** The first output, or undefined when there is none. Nothing after it is computed. */
  first(input: Json, variables: JsonObject = noVariables): Json | undefined {
    const { single } = this.#code
    if (single) {
      const value = this.#guard(variables, () => single(input, root))
      return value === undefined || !this.#plain ? value : toPlain(value)
    }
    let found: Json | undefined
    this.each(
      input,
      (value) => {
        found = value
        return true
      },
      variables,
    )
    return found
  }

  /** Passes every output to `emit` as it is computed; `emit` returns true to stop. */
  each(input: Json, emit: (value: Json) => unknown, variables: JsonObject = noVariables): void {
    const plain = this.#plain
    this.#guard(variables, () => {
      this.#code.each(input, root, (value) => (emit(plain ? toPlain(value) : value) === true ? stop : proceed))
      return undefined
    })
  }

  #guard<T>(variables: JsonObject, run: () => T): T {
    const machine = this.#machine
    const { meter } = machine
    // A callback of a run can start another run of the same program.
    const { left, depthLeft } = meter
    const before = machine.variables
    machine.variables = variables
    meter.reset()
    try {
      return run()
    } catch (error) {
      if (error instanceof RangeError) meter.tooDeep(error)
      throw error
    } finally {
      machine.variables = before
      meter.left = left
      meter.depthLeft = depthLeft
    }
  }
}

function* thenThrow(outputs: readonly Json[], error: unknown): Generator<Json> {
  yield* outputs
  throw error
}

function compileMain(text: string, options: CompileOptions, compiler: Compiler, machine: Machine): Code {
  const source = { name: options.name ?? '<top-level>', text }
  const context: Context = { compiler, machine, scope: undefined, source, depth: 0, tail: false }
  const program = parseProgram(source)
  const linker = new Linker(options.modules, context)
  machine.moduleMeta = (path) => linker.describe(path)
  const globals = ['ENV', ...(options.variables ?? [])].map((name) => `$${name}`)
  const { scope, names } = linker.link(program, context, define(undefined, ...globals))
  if (program.main === undefined) {
    if (program.definitions.length === 0 && program.imports.length === 0 && text.trim() !== '') {
      throw new JqError('syntax', 'Top-level program not given (try ".")')
    }
    return compiler.value({ type: 'identity', start: 0, end: 0 }, context)
  }
  new NameCheck(source).node(program.main, names)
  return compiler.value(program.main, { ...context, scope })
}
