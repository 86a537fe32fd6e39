/**
 * Translates regular expressions of jq (Oniguruma, Perl syntax) to those of JavaScript. Letters, digits and word boundaries are those of
 * Unicode; `^` and `$` match the ends of the text.
 */
import { runtimeError } from '../error.ts'
import type { Meter } from '../limits.ts'
import { BacktrackingMatcher, type Found } from './backtrack.ts'
import { backtracking, parseTree } from './tree.ts'

export interface TextPattern {
  /** The first match at or after a position. */
  readonly find: (text: string, from: number, meter: Meter) => Found | undefined
  /** The name of each group, in order; null where it has none. */
  readonly groups: readonly (string | null)[]
}

const wordClass = '\\p{L}\\p{M}\\p{N}\\p{Pc}'
const wordBoundary = `(?:(?<=[${wordClass}])(?![${wordClass}])|(?<![${wordClass}])(?=[${wordClass}]))`
const notBoundary = `(?:(?<=[${wordClass}])(?=[${wordClass}])|(?<![${wordClass}])(?![${wordClass}]))`
const textEnd = '(?![\\s\\S])'
const lastLineEnd = `(?=\\n?${textEnd})`

/** Escapes for a set of characters, inside and outside of brackets. */
const classEscapes: Readonly<Record<string, string>> = {
  w: wordClass,
  d: '\\p{Nd}',
  s: '\\s\\x85',
  h: '0-9a-fA-F',
}
const assertionEscapes: Readonly<Record<string, string>> = {
  A: '^',
  Z: lastLineEnd,
  z: textEnd,
  b: wordBoundary,
  B: notBoundary,
  G: '',
  R: '(?:\\r\\n|[\\n-\\r\\x85\\u2028\\u2029])',
  X: '(?:\\P{M}\\p{M}*)',
}
const posixClasses: Readonly<Record<string, string>> = {
  alnum: '\\p{L}\\p{M}\\p{N}',
  alpha: '\\p{L}\\p{M}',
  ascii: '\\x00-\\x7f',
  blank: ' \\t',
  cntrl: '\\p{Cc}',
  digit: '\\p{Nd}',
  graph: '\\x21-\\x7e\\u00a1-\\u{10ffff}',
  lower: '\\p{Ll}',
  print: '\\x20-\\x7e\\u00a0-\\u{10ffff}',
  punct: '\\p{P}\\p{S}',
  space: '\\s\\x85',
  upper: '\\p{Lu}',
  word: wordClass,
  xdigit: '0-9a-fA-F',
}

function posixClass(name: string): string | undefined {
  return Object.hasOwn(posixClasses, name) ? posixClasses[name] : undefined
}

export interface PatternOptions {
  readonly ignoreCase: boolean
  /** White space and comments in the pattern are ignored. */
  readonly extended: boolean
  readonly dotAll: boolean
}

export function compilePattern(source: string, { ignoreCase, extended, dotAll }: PatternOptions): TextPattern {
  const translated = new Translation(source, { extended }).run()
  const flags = `gud${ignoreCase || translated.ignoreCase ? 'i' : ''}${dotAll ? 's' : ''}`
  try {
    return {
      find: finder(new RegExp(translated.text, flags), translated.text, translated.groups),
      groups: translated.groups,
    }
  } catch (error) {
    throw runtimeError(`Regex failure: ${explain(source, error)}`)
  }
}

/** With more steps than this in the worst case, the matcher with a budget is used. */
const maxSteps = 1e8

function finder(expression: RegExp, translated: string, groups: readonly (string | null)[]): TextPattern['find'] {
  const tree = parseTree(translated)
  // Matching may start at every position.
  const power = backtracking(tree) + 1
  let careful: BacktrackingMatcher | undefined
  return (text, from, meter) => {
    if (power > 2 && text.length ** power > maxSteps) {
      careful ??= new BacktrackingMatcher(tree, groups, expression.flags)
      return careful.find(text, from, meter)
    }
    expression.lastIndex = from
    const match = expression.exec(text)
    if (match === null) return undefined
    return { start: match.index, end: match.index + match[0].length, groups: match.indices?.slice(1) ?? [] }
  }
}

function explain(source: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : ''
  if (/Unterminated group/.test(reason)) return 'end pattern with unmatched parenthesis'
  if (/Unmatched '\)'/.test(reason)) return 'unmatched close parenthesis'
  if (/Nothing to repeat/.test(reason)) return 'target of repeat operator is not specified'
  if (/Unterminated character class/.test(reason)) return 'premature end of char-class'
  if (/\\ at end of pattern/.test(reason)) return 'end pattern at escape'
  if (/Invalid group|Invalid capture group name/.test(reason)) return 'undefined group option'
  return `${reason.replace(/^Invalid regular expression: /, '')} in ${source}`
}

class Translation {
  readonly groups: (string | null)[] = []
  ignoreCase = false
  text = ''
  readonly #source: string
  readonly #extended: boolean
  #at = 0
  /** The start of each open group in the output, and whether it captures. */
  readonly #open: { at: number; captures: boolean }[] = []

  constructor(source: string, { extended }: Pick<PatternOptions, 'extended'>) {
    this.#source = source
    this.#extended = extended
  }

  run(): { text: string; groups: readonly (string | null)[]; ignoreCase: boolean } {
    if (this.#source.startsWith('(?i)')) {
      this.ignoreCase = true
      this.#at = 4
    }
    while (this.#at < this.#source.length) this.#step()
    return this
  }

  #step(): void {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0)
    this.#at += character.length
    switch (character) {
      case '\\':
        this.text += this.#escape(false)
        return
      case '[':
        this.text += this.#brackets()
        return
      case '(':
        this.#group()
        return
      case ')':
        this.#close()
        return
      case '$':
        this.text += lastLineEnd
        return
      case '{':
        this.text += this.#quantifier() ?? '\\{'
        return
      case '}':
      case ']':
        this.text += `\\${character}`
        return
      case '*':
      case '+':
      case '?':
        this.text += character
        this.#possessive()
        return
      default:
        if (this.#extended && /\s/.test(character)) return
        if (this.#extended && character === '#') {
          while (this.#at < this.#source.length && this.#source.charAt(this.#at) !== '\n') this.#at += 1
          return
        }
        this.text += character
    }
  }

  /** `a++` does not backtrack in Oniguruma; here it may, which can only match more. */
  #possessive(): void {
    if (this.#source.charAt(this.#at) === '+') this.#at += 1
  }

  #quantifier(): string | undefined {
    const match = /^(\d*)(,?)(\d*)\}/.exec(this.#source.slice(this.#at))
    if (match === null || (match[1] === '' && match[3] === '')) return undefined
    this.#at += match[0].length
    return `{${match[1] === '' ? '0' : match[1]}${match[2]}${match[3]}}`
  }

  #group(): void {
    const rest = this.#source.slice(this.#at)
    const [, opening = '', name] = /^(\?(?:<([A-Za-z_]\w*)>|[:=!>]|<[=!]|#))?/.exec(rest) ?? []
    if (opening === '?#') {
      const end = this.#source.indexOf(')', this.#at)
      this.#at = end === -1 ? this.#source.length : end + 1
      return
    }
    this.#at += opening.length
    const captures = opening === '' || name !== undefined
    this.#open.push({ at: this.text.length, captures })
    if (captures) this.groups.push(name ?? null)
    this.text += `(${opening === '?>' ? '?:' : opening}`
  }

  #close(): void {
    const group = this.#open.pop()
    this.text += ')'
    if (group === undefined || !group.captures || this.#source.charAt(this.#at) !== '?') return
    // An optional group that matches the empty text counts as matched in Oniguruma, but as unset in JavaScript.
    const lazy = this.#source.charAt(this.#at + 1) === '?'
    this.#at += lazy ? 2 : 1
    const body = this.text.slice(group.at)
    this.text = `${this.text.slice(0, group.at)}${lazy ? `(?:|${body})` : `(?:${body}|)`}`
    if (!lazy) this.#possessive()
  }

  #escape(inBrackets: boolean): string {
    const letter = this.#source.charAt(this.#at)
    if (letter === '') throw runtimeError('Regex failure: end pattern at escape')
    this.#at += 1
    const set = classEscapes[letter.toLowerCase()]
    if (set !== undefined) {
      if (letter === letter.toLowerCase()) return inBrackets ? set : `[${set}]`
      if (!inBrackets) return `[^${set}]`
      const simple: Readonly<Record<string, string>> = {
        W: '\\W',
        D: '\\P{Nd}',
        S: '\\S',
        H: '\\x00-/:-@G-`g-\\u{10ffff}',
      }
      return simple[letter] ?? ''
    }
    if (inBrackets && letter === 'b') return '\\b'
    const assertion = inBrackets ? undefined : assertionEscapes[letter]
    if (assertion !== undefined) return assertion
    if (letter === 'x') return this.#hex()
    if (letter === 'p' || letter === 'P' || letter === 'k') return this.#property(letter)
    if (letter === 'a') return '\\x07'
    if (letter === 'e') return '\\x1b'
    if (/[tnrfv]/.test(letter)) return `\\${letter}`
    if (/[1-9]/.test(letter) && !inBrackets) return `\\${letter}`
    if (letter === '0') return '\\0'
    return /[\^$\\.*+?()[\]{}|/-]/.test(letter) && (inBrackets || letter !== '-') ? `\\${letter}` : letter
  }

  #hex(): string {
    const match = /^(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{1,2}))/.exec(this.#source.slice(this.#at))
    if (match === null) return '\\0'
    this.#at += match[0].length
    return `\\u{${match[1] ?? match[2]}}`
  }

  #property(letter: string): string {
    const match = /^(?:\{(\^?)([\w=]+)\}|<\w+>)/.exec(this.#source.slice(this.#at))
    if (match === null) return letter
    this.#at += match[0].length
    if (letter === 'k') return `\\k${match[0]}`
    const negated = (letter === 'P') !== (match[1] === '^')
    const name = match[2] ?? ''
    const posix = posixClass(name.toLowerCase())
    if (posix !== undefined) return `[${negated ? '^' : ''}${posix}]`
    return `\\${negated ? 'P' : 'p'}{${/^[A-Z][a-z]{3,}$/.test(name) && !/^(?:Any|Alphabetic|Letter|Mark|Number)$/.test(name) ? `Script=${name}` : name}}`
  }

  #brackets(): string {
    let out = '['
    if (this.#source.charAt(this.#at) === '^') {
      out += '^'
      this.#at += 1
    }
    for (let first = true; ; first = false) {
      const character = this.#source.charAt(this.#at)
      if (character === '') throw runtimeError('Regex failure: premature end of char-class')
      this.#at += 1
      if (character === ']' && !first) return `${out}]`
      if (character === '\\') out += this.#escape(true)
      else if (character === '[') out += this.#posix()
      else out += /[\]{}()|/]/.test(character) ? `\\${character}` : character
    }
  }

  #posix(): string {
    const match = /^:(\^?)(\w+):\]/.exec(this.#source.slice(this.#at))
    const set = match?.[2] === undefined ? undefined : posixClass(match[2])
    if (match === null || set === undefined) return '\\['
    this.#at += match[0].length
    return match[1] === '^' ? set.replace(/\\p/g, '\\P') : set
  }
}
