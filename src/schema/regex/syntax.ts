/**
 * Parses the regular expression syntax of the API server (RE2): no backreferences and no look-around, so that every expression can be
 * matched in linear time.
 */
import { type CharClass, charClass, classes, folded, perlClass, posixClass, unicodeClass } from './classes.ts'
import { RegexSyntaxError } from './error.ts'

export type RegexNode =
  | { readonly kind: 'empty' }
  | { readonly kind: 'class'; readonly matches: CharClass }
  | { readonly kind: 'assert'; readonly at: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly options: readonly RegexNode[] }
  | {
      readonly kind: 'repeat'
      readonly of: RegexNode
      readonly min: number
      /** Undefined means unlimited. */
      readonly max: number | undefined
      readonly greedy: boolean
    }

export type Assertion = 'text start' | 'text end' | 'line start' | 'line end' | 'word boundary' | 'no word boundary'

interface Flags {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
  readonly U: boolean
}

const maxRepeat = 1000
const maxNesting = 250

export function parseRegex(source: string): RegexNode {
  return new Parser(source).parse()
}

class Parser {
  readonly #source: string
  readonly #chars: readonly string[]
  #at = 0
  #nesting = 0
  #flags: Flags = { i: false, m: false, s: false, U: false }

  constructor(source: string) {
    this.#source = source
    this.#chars = [...source]
  }

  parse(): RegexNode {
    const node = this.#choice()
    if (this.#at < this.#chars.length) throw this.#error('unexpected )', this.#source)
    return node
  }

  #choice(): RegexNode {
    this.#nesting += 1
    if (this.#nesting > maxNesting) throw this.#error('expression nests too deeply', this.#source)
    const options = [this.#sequence()]
    while (this.#take('|')) options.push(this.#sequence())
    this.#nesting -= 1
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options }
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = []
    while (this.#at < this.#chars.length && this.#peek() !== '|' && this.#peek() !== ')') {
      const start = this.#at
      const atom = this.#atom()
      if (atom !== undefined) parts.push(this.#repeated(atom, start))
    }
    if (parts.length === 0) return { kind: 'empty' }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'sequence', parts }
  }

  #repeated(atom: RegexNode, start: number): RegexNode {
    const bounds = this.#bounds()
    if (bounds === undefined) return atom
    const lazy = this.#take('?')
    const node: RegexNode = { kind: 'repeat', of: atom, ...bounds, greedy: lazy === this.#flags.U }
    const again = this.#peek()
    if (again === '*' || again === '+' || again === '?') {
      throw this.#error('invalid nested repetition operator', this.#chars.slice(start, this.#at + 1).join(''))
    }
    return node
  }

  #bounds(): { readonly min: number; readonly max: number | undefined } | undefined {
    if (this.#take('*')) return { min: 0, max: undefined }
    if (this.#take('+')) return { min: 1, max: undefined }
    if (this.#take('?')) return { min: 0, max: 1 }
    const counted = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#chars.slice(this.#at, this.#at + 16).join(''))
    if (this.#peek() !== '{' || counted === null) return undefined
    this.#at += counted[0].length
    const min = Number(counted[1])
    const max = counted[2] === undefined ? min : counted[3] === '' ? undefined : Number(counted[3])
    if (min > maxRepeat || (max !== undefined && (max > maxRepeat || max < min))) {
      throw this.#error('invalid repeat count', counted[0])
    }
    return { min, max }
  }

  /** Undefined for a group that only changes flags. */
  #atom(): RegexNode | undefined {
    const char = this.#next()
    switch (char) {
      case '(':
        return this.#group()
      case '[':
        return { kind: 'class', matches: this.#class() }
      case '.':
        return { kind: 'class', matches: this.#flags.s ? classes.any : classes.anyButNewline }
      case '^':
        return { kind: 'assert', at: this.#flags.m ? 'line start' : 'text start' }
      case '$':
        return { kind: 'assert', at: this.#flags.m ? 'line end' : 'text end' }
      case '*':
      case '+':
      case '?':
        throw this.#error('missing argument to repetition operator', char)
      case '\\':
        return this.#escape()
      default:
        return this.#literal(char)
    }
  }

  #literal(char: string): RegexNode {
    const code = char.codePointAt(0) ?? 0
    return { kind: 'class', matches: this.#set([[code, code]]) }
  }

  #set(ranges: readonly (readonly [number, number])[], negated = false, tests: readonly CharClass[] = []): CharClass {
    return charClass(this.#flags.i ? folded(ranges) : ranges, negated, tests)
  }

  #group(): RegexNode | undefined {
    const outer = this.#flags
    if (this.#take('?')) {
      const rest = this.#chars.slice(this.#at).join('')
      const name = /^P?<([A-Za-z0-9_]+)>/.exec(rest)
      const flags = /^([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest)
      if (name !== null) {
        this.#at += name[0].length
      } else if (flags !== null) {
        this.#at += flags[0].length
        this.#setFlags(flags[1] ?? '', flags[2] ?? '')
        if (flags[3] === ')') return undefined
      } else {
        throw this.#error('invalid or unsupported Perl syntax', `(?${rest.slice(0, 1)}`)
      }
    }
    const inner = this.#choice()
    if (!this.#take(')')) throw this.#error('missing closing )', this.#source)
    this.#flags = outer
    return inner
  }

  #setFlags(on: string, off: string): void {
    const flags: Record<string, boolean> = { ...this.#flags }
    for (const flag of on) flags[flag] = true
    for (const flag of off) flags[flag] = false
    this.#flags = flags as unknown as Flags
  }

  #escape(): RegexNode {
    const char = this.#next('trailing backslash at end of expression')
    if (char === 'A') return { kind: 'assert', at: 'text start' }
    if (char === 'z') return { kind: 'assert', at: 'text end' }
    if (char === 'b') return { kind: 'assert', at: 'word boundary' }
    if (char === 'B') return { kind: 'assert', at: 'no word boundary' }
    if (char === 'Q') return this.#quoted()
    const set = this.#escapedClass(char)
    if (set !== undefined) return { kind: 'class', matches: set }
    const code = this.#escapedCode(char)
    return { kind: 'class', matches: this.#set([[code, code]]) }
  }

  #quoted(): RegexNode {
    const parts: RegexNode[] = []
    while (this.#at < this.#chars.length) {
      if (this.#peek() === '\\' && this.#chars[this.#at + 1] === 'E') {
        this.#at += 2
        break
      }
      parts.push(this.#literal(this.#next()))
    }
    return { kind: 'sequence', parts }
  }

  #escapedClass(char: string): CharClass | undefined {
    if (char === 'p' || char === 'P') {
      const name = this.#take('{') ? this.#until('}') : this.#next()
      const negated = name.startsWith('^')
      const found = unicodeClass(negated ? name.slice(1) : name, (char === 'P') !== negated)
      if (found === undefined) throw this.#error('invalid character class range', `\\${char}{${name}}`)
      return found
    }
    return perlClass(char)
  }

  #escapedCode(char: string): number {
    const control: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }
    if (Object.hasOwn(control, char)) return control[char] ?? 0
    if (char === 'x') {
      const digits = this.#take('{') ? this.#until('}') : this.#next() + this.#next()
      const code = /^[0-9a-fA-F]{1,6}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
      if (!(code <= 0x10ffff)) throw this.#error('invalid escape sequence', `\\x${digits}`)
      return code
    }
    if (/[0-7]/.test(char) && (char === '0' || /[0-7]/.test(this.#peek() ?? ''))) {
      let digits = char
      while (digits.length < 3 && /[0-7]/.test(this.#peek() ?? '')) digits += this.#next()
      return Number.parseInt(digits, 8)
    }
    if (/[A-Za-z0-9]/.test(char)) throw this.#error('invalid escape sequence', `\\${char}`)
    return char.codePointAt(0) ?? 0
  }

  #class(): CharClass {
    const negated = this.#take('^')
    const ranges: [number, number][] = []
    const tests: CharClass[] = []
    let first = true
    for (;;) {
      const char = this.#next('missing closing ]')
      if (char === ']' && !first) break
      first = false
      if (char === '[' && this.#peek() === ':') {
        const name = /^:\^?[a-z]+:\]/.exec(this.#chars.slice(this.#at, this.#at + 12).join(''))
        if (name !== null) {
          const found = posixClass(name[0].slice(1, -2))
          if (found === undefined) throw this.#error('invalid character class range', `[${name[0]}`)
          this.#at += name[0].length
          tests.push(found)
          continue
        }
      }
      if (char === '\\' && /[dDsSwWpP]/.test(this.#peek() ?? '')) {
        const set = this.#escapedClass(this.#next())
        if (set !== undefined) tests.push(set)
        continue
      }
      const low = this.#classCode(char)
      let high = low
      if (this.#peek() === '-' && this.#chars[this.#at + 1] !== ']' && this.#chars[this.#at + 1] !== undefined) {
        this.#at += 1
        high = this.#classCode(this.#next())
        if (high < low) throw this.#error('invalid character class range', `${char}-${this.#chars[this.#at - 1] ?? ''}`)
      }
      ranges.push([low, high])
    }
    return this.#set(ranges, negated, tests)
  }

  #classCode(char: string): number {
    if (char === '\\') return this.#escapedCode(this.#next('trailing backslash at end of expression'))
    return char.codePointAt(0) ?? 0
  }

  #until(end: string): string {
    let text = ''
    for (;;) {
      const char = this.#next('invalid escape sequence')
      if (char === end) return text
      text += char
    }
  }

  #peek(): string | undefined {
    return this.#chars[this.#at]
  }

  #next(missing = 'unexpected end of expression'): string {
    const char = this.#chars[this.#at]
    if (char === undefined) throw this.#error(missing, this.#source)
    this.#at += 1
    return char
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false
    this.#at += 1
    return true
  }

  #error(what: string, fragment: string): RegexSyntaxError {
    return new RegexSyntaxError(`error parsing regexp: ${what}: \`${fragment}\``)
  }
}
