/**
 * Functions that access the environment of the program; the caller provides all of it.
 */
import type { Json } from '../../runtime/index.ts'
import type { Native } from '../compile/machine.ts'
import { JqError, runtimeError } from '../error.ts'
import { describe } from '../values/describe.ts'
import { toDouble } from '../values/kind.ts'

export const systemFunctions: Readonly<Record<string, Native>> = {
  'input/0': (_input, _args, { surroundings }) => {
    const value = surroundings.input?.()
    if (value === undefined) throw runtimeError('break')
    return value
  },
  'debug/0': (input, _args, { surroundings }) => {
    surroundings.message?.('debug', input)
    return input
  },
  'stderr/0': (input, _args, { surroundings }) => {
    surroundings.message?.('stderr', input)
    return input
  },
  'now/0': (_input, _args, { surroundings }) => surroundings.now?.() ?? 0,
  'input_filename/0': (_input, _args, { surroundings }) => surroundings.inputFilename?.() ?? null,
  'input_line_number/0': (_input, _args, { surroundings }) => surroundings.inputLineNumber?.() ?? 0,
  'modulemeta/0': (input, _args, machine) => machine.moduleMeta(input),
  'halt/0': () => {
    throw new JqError('halt', 'halt', { value: null, exitCode: 0 })
  },
  'halt_error/1': (input, [code = null]) => halt(input, code),
  'have_literal_numbers/0': () => true,
  'have_decnum/0': () => true,
}

function halt(input: Json, code: Json): never {
  const exitCode = toDouble(code)
  if (exitCode === undefined) throw runtimeError(`${describe(code)} halt_error/1: number required`)
  throw new JqError('halt', typeof input === 'string' ? input : 'halt_error', { value: input, exitCode })
}
