/**
 * Tests whether a text matches, with a lazily built deterministic automaton whose states are sets of positions in the program. The common
 * case costs one table lookup per character.
 */
import type { Instruction } from './program.ts'

interface State {
  readonly pcs: readonly number[]
  readonly matches: boolean
  /** Whether the end of the text in this state is a match. */
  readonly matchesAtEnd: boolean
  /** By ASCII code. */
  readonly next: (State | undefined)[]
}

/** Expressions with more states are run by the machine. */
const maxStates = 500

export class Automaton {
  readonly #program: readonly Instruction[]
  readonly #states = new Map<string, State>()
  readonly #start: State
  /** In the empty text, start and end are the same position. */
  readonly #matchesEmpty: boolean

  constructor(program: readonly Instruction[]) {
    this.#program = program
    this.#start = this.#state(this.#closure([0], 'start'))
    this.#matchesEmpty = this.#hasMatch(this.#closure([0], 'only'))
  }

  /** Undefined for programs with assertions that depend on adjacent characters. */
  static for(program: readonly Instruction[]): Automaton | undefined {
    const simple = program.every(
      (instruction) => instruction.op !== 'assert' || instruction.at === 'text start' || instruction.at === 'text end',
    )
    return simple ? new Automaton(program) : undefined
  }

  /** Undefined when the expression has too many states. */
  test(text: string): boolean | undefined {
    if (text === '') return this.#matchesEmpty
    let state = this.#start
    for (let at = 0; at < text.length; at += 1) {
      if (state.matches) return true
      if (state.pcs.length === 0) return false
      const unit = text.charCodeAt(at)
      let next = unit < 128 ? state.next[unit] : undefined
      if (next === undefined) {
        const code = unit < 0xd800 ? unit : (text.codePointAt(at) ?? unit)
        if (code > 0xffff) at += 1
        next = this.#step(state, code)
        if (this.#states.size > maxStates) return undefined
        if (code < 128) state.next[code] = next
      }
      state = next
    }
    return state.matches || state.matchesAtEnd
  }

  #step(state: State, code: number): State {
    const reached: number[] = []
    for (const pc of state.pcs) {
      const instruction = this.#program[pc]
      if (instruction?.op === 'char' && instruction.matches(code)) reached.push(pc + 1)
    }
    // A match can begin after every character.
    reached.push(0)
    return this.#state(this.#closure(reached, 'middle'))
  }

  #state(pcs: readonly number[]): State {
    const key = pcs.join()
    const known = this.#states.get(key)
    if (known !== undefined) return known
    const waiting = pcs.filter((pc) => this.#program[pc]?.op === 'assert').map((pc) => pc + 1)
    const state: State = {
      pcs,
      matches: this.#hasMatch(pcs),
      matchesAtEnd: this.#hasMatch(this.#closure(waiting, 'end')),
      next: [],
    }
    this.#states.set(key, state)
    return state
  }

  #hasMatch(pcs: readonly number[]): boolean {
    return pcs.some((pc) => this.#program[pc]?.op === 'match')
  }

  /** All positions reachable without reading a character; an assertion of the end is kept until the end is known. */
  #closure(from: readonly number[], where: 'start' | 'middle' | 'end' | 'only'): number[] {
    const pending = [...from]
    const seen = new Set<number>()
    const result: number[] = []
    for (let pc = pending.pop(); pc !== undefined; pc = pending.pop()) {
      if (seen.has(pc)) continue
      seen.add(pc)
      const instruction = this.#program[pc]
      if (instruction?.op === 'jump') pending.push(instruction.to)
      else if (instruction?.op === 'split') pending.push(instruction.first, instruction.second)
      else if (instruction?.op !== 'assert') result.push(pc)
      else if (instruction.at === 'text end') {
        if (where === 'end' || where === 'only') pending.push(pc + 1)
        else result.push(pc)
      } else if (where === 'start' || where === 'only') pending.push(pc + 1)
    }
    return result.sort((a, b) => a - b)
  }
}
