/**
 * Calls of functions written in TypeScript. Their arguments are values; the last one varies slowest.
 */
import type { Json } from '../../runtime/index.ts'
import type { Node } from '../syntax/ast.ts'
import { type Code, type Emit, type Env, fromEach, fromSingle, type Signal } from './code.ts'
import type { Native } from './machine.ts'
import type { Context } from './scope.ts'

const noArguments: readonly Json[] = []

export function compileNative(native: Native, args: readonly Node[], context: Context): Code {
  const { machine } = context
  if (args.length === 0) return fromSingle((input) => native(input, noArguments, machine))
  const codes = args.map((node) => context.compiler.value(node, context))
  const singles = codes.map((code) => code.single)
  const [first] = singles
  if (first && singles.length === 1) {
    return fromSingle((input, env) => {
      const value = first(input, env)
      return value === undefined ? undefined : native(input, [value], machine)
    })
  }
  if (singles.every((single) => single !== undefined)) {
    return fromSingle((input, env) => {
      const values: Json[] = new Array(singles.length)
      for (let i = singles.length - 1; i >= 0; i -= 1) {
        const value = singles[i]?.(input, env)
        if (value === undefined) return undefined
        values[i] = value
      }
      return native(input, values, machine)
    })
  }
  const gather = (index: number, values: readonly Json[], input: Json, env: Env, emit: Emit): Signal => {
    const code = codes[index]
    if (code === undefined) {
      const result = native(input, values, machine)
      return result === undefined ? 0 : emit(result)
    }
    return code.each(input, env, (value) => gather(index - 1, [value, ...values], input, env, emit))
  }
  return fromEach((input, env, emit) => gather(codes.length - 1, [], input, env, emit))
}
