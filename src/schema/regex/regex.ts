/**
 * Regular expressions for patterns in schemas and for CEL: the syntax of the API server (RE2), matched in linear time so that no pattern
 * can block a validation.
 */
import { Automaton } from './automaton.ts'
import { Machine, type Span } from './machine.ts'
import { compileProgram } from './program.ts'
import { parseRegex } from './syntax.ts'

export interface Regex {
  readonly source: string
  test(text: string): boolean
  /** The first match at or after `from`. */
  find(text: string, from?: number): Span | undefined
}

/** @throws RegexSyntaxError */
export function compileRegex(source: string): Regex {
  const program = compileProgram(parseRegex(source))
  const machine = new Machine(program)
  const automaton = Automaton.for(program)
  return {
    source,
    test: (text) => automaton?.test(text) ?? machine.find(text, 0, true) !== undefined,
    find: (text, from = 0) => machine.find(text, from, false),
  }
}
