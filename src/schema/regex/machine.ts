/**
 * Runs a program on a text with all alternatives in parallel (Pike VM), so that the time is at most the length of the text times the
 * length of the program. Returns the leftmost match, and among those the one that the expression prefers.
 */
import { classes } from './classes.ts'
import type { Instruction } from './program.ts'
import type { Assertion } from './syntax.ts'

export interface Span {
  readonly start: number
  readonly end: number
}

/** The threads at one position in order of preference, each with the start of its match. */
class Threads {
  readonly pcs: number[] = []
  readonly starts: number[] = []
  readonly #seen: Uint32Array
  #generation = 0

  constructor(size: number) {
    this.#seen = new Uint32Array(size)
  }

  clear(): void {
    this.pcs.length = 0
    this.starts.length = 0
    this.#generation += 1
  }

  enter(pc: number): boolean {
    if (this.#seen[pc] === this.#generation) return false
    this.#seen[pc] = this.#generation
    return true
  }
}

export class Machine {
  readonly #program: readonly Instruction[]
  #current: Threads
  #next: Threads

  constructor(program: readonly Instruction[]) {
    this.#program = program
    this.#current = new Threads(program.length)
    this.#next = new Threads(program.length)
  }

  /** The first match at or after `from`; with `any`, the first one found, whose end may not be the preferred end. */
  find(text: string, from: number, any: boolean): Span | undefined {
    let found: Span | undefined
    this.#current.clear()
    for (let at = from; ; ) {
      if (found === undefined) this.#add(this.#current, 0, at, text, at)
      if (this.#current.pcs.length === 0 && found !== undefined) return found
      const code = at < text.length ? (text.codePointAt(at) ?? 0) : -1
      const width = code > 0xffff ? 2 : 1
      this.#next.clear()
      const { pcs, starts } = this.#current
      for (let index = 0; index < pcs.length; index += 1) {
        const instruction = this.#program[pcs[index] ?? 0]
        const start = starts[index] ?? 0
        if (instruction?.op === 'match') {
          found = { start, end: at }
          // All later threads are less preferred.
          break
        }
        if (instruction?.op === 'char' && code >= 0 && instruction.matches(code)) {
          this.#add(this.#next, (pcs[index] ?? 0) + 1, start, text, at + width)
        }
      }
      if (code < 0 || (any && found !== undefined)) return found
      at += width
      const spare = this.#current
      this.#current = this.#next
      this.#next = spare
    }
  }

  #add(threads: Threads, pc: number, start: number, text: string, at: number): void {
    const pending = [pc]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (!threads.enter(next)) continue
      const instruction = this.#program[next]
      switch (instruction?.op) {
        case 'jump':
          pending.push(instruction.to)
          break
        case 'split':
          pending.push(instruction.second, instruction.first)
          break
        case 'assert':
          if (holds(instruction.at, text, at)) pending.push(next + 1)
          break
        case 'char':
        case 'match':
          threads.pcs.push(next)
          threads.starts.push(start)
          break
        case undefined:
          break
      }
    }
  }
}

function holds(assertion: Assertion, text: string, at: number): boolean {
  switch (assertion) {
    case 'text start':
      return at === 0
    case 'text end':
      return at === text.length
    case 'line start':
      return at === 0 || text.charCodeAt(at - 1) === 10
    case 'line end':
      return at === text.length || text.charCodeAt(at) === 10
    case 'word boundary':
      return isWordAt(text, at - 1) !== isWordAt(text, at)
    case 'no word boundary':
      return isWordAt(text, at - 1) === isWordAt(text, at)
  }
}

function isWordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && classes.word(text.charCodeAt(at))
}
