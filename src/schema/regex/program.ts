/**
 * Compiles an expression to instructions of the matching machine. Counted repetitions are expanded, so the length of the program is
 * limited here, and with it the cost of every step of a match.
 */
import type { CharClass } from './classes.ts'
import { RegexSyntaxError } from './error.ts'
import type { Assertion, RegexNode } from './syntax.ts'

export type Instruction =
  | { readonly op: 'char'; readonly matches: CharClass }
  | { readonly op: 'assert'; readonly at: Assertion }
  /** Tries `first` before `second`. */
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'match' }

const maxInstructions = 20_000

export function compileProgram(node: RegexNode): readonly Instruction[] {
  const program: Instruction[] = []
  emit(node, program)
  program.push({ op: 'match' })
  return program
}

function emit(node: RegexNode, program: Instruction[]): void {
  if (program.length > maxInstructions) throw new RegexSyntaxError('error parsing regexp: expression too large')
  switch (node.kind) {
    case 'empty':
      return
    case 'class':
      program.push({ op: 'char', matches: node.matches })
      return
    case 'assert':
      program.push({ op: 'assert', at: node.at })
      return
    case 'sequence':
      for (const part of node.parts) emit(part, program)
      return
    case 'choice':
      emitChoice(node.options, program)
      return
    case 'repeat':
      for (let count = 0; count < node.min; count += 1) emit(node.of, program)
      if (node.max === undefined) emitLoop(node.of, node.greedy, program)
      else for (let count = node.min; count < node.max; count += 1) emitOptional(node.of, node.greedy, program)
  }
}

function emitChoice(options: readonly RegexNode[], program: Instruction[]): void {
  const ends: { op: 'jump'; to: number }[] = []
  for (const [index, option] of options.entries()) {
    if (index === options.length - 1) {
      emit(option, program)
      break
    }
    const split = { op: 'split' as const, first: program.length + 1, second: 0 }
    program.push(split)
    emit(option, program)
    const end = { op: 'jump' as const, to: 0 }
    program.push(end)
    ends.push(end)
    split.second = program.length
  }
  for (const end of ends) end.to = program.length
}

function emitLoop(of: RegexNode, greedy: boolean, program: Instruction[]): void {
  const start = program.length
  const split = { op: 'split' as const, first: 0, second: 0 }
  program.push(split)
  emit(of, program)
  program.push({ op: 'jump', to: start })
  split.first = greedy ? start + 1 : program.length
  split.second = greedy ? program.length : start + 1
}

function emitOptional(of: RegexNode, greedy: boolean, program: Instruction[]): void {
  const split = { op: 'split' as const, first: 0, second: 0 }
  const start = program.length
  program.push(split)
  emit(of, program)
  split.first = greedy ? start + 1 : program.length
  split.second = greedy ? program.length : start + 1
}
