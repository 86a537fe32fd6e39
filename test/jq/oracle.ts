/**
 * Runs a program in jq (WebAssembly) and with the implementation of this product, for comparison.
 */
import { loadJq } from 'jq-wasm'
import { compile, JqError, JsonParser, print } from '../../src/jq/index.ts'

export interface Outcome {
  /** Each output as compact JSON. */
  readonly outputs: readonly string[]
  readonly error: string | undefined
}

export type Oracle = (program: string, input: string) => Outcome

export async function loadOracle(): Promise<Oracle> {
  const jq = await loadJq()
  return (program, input) => {
    const { stdout, stderr } = jq.raw(input, program, ['-c'])
    const error = /^jq: error(?: \(at [^)]*\))?:? ?([\s\S]*)/.exec(stderr)?.[1]
    return { outputs: stdout === '' ? [] : stdout.split('\n'), error: error?.trimEnd() }
  }
}

export function runHere(program: string, input: string): Outcome {
  const outputs: string[] = []
  try {
    const value = new JsonParser(input).next() ?? null
    const compiled = compile(program, { numbers: 'literal', limits: { steps: 2_000_000 } })
    compiled.each(value, (output) => {
      outputs.push(print(output))
    })
    return { outputs, error: undefined }
  } catch (error) {
    if (!(error instanceof JqError)) throw error
    return { outputs, error: error.message.trimEnd() }
  }
}
