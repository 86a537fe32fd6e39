/**
 * jq 1.8 as a library: programs are compiled once to closures and run on plain JSON values, which they never change.
 */
import { type CompileOptions, Program } from './program.ts'

/**
 * Compiles a program; throws a `JqError` of kind `syntax` when it is invalid.
 *
 * @example compile('.spec.containers[].image').first(pod)
 */
export function compile(source: string, options: CompileOptions = {}): Program {
  return new Program(source, options)
}

export type { Surroundings } from './compile/machine.ts'
export { JqError, type JqErrorKind } from './error.ts'
export { JsonParser, parseJson } from './json/parse.ts'
export { type PrintOptions, print } from './json/print.ts'
export { defaultLimits, type Limits } from './limits.ts'
export type { Module, ModuleRequest, ModuleResolver } from './modules.ts'
export type { CompileOptions, Program } from './program.ts'
