/**
 * Converts program text to tokens. A string is one token with its text parts and the tokens of each interpolation, because an
 * interpolation can contain strings.
 */
import type { Span } from './ast.ts'
import { unescapeText } from './escape.ts'
import { type SourceText, syntaxError } from './location.ts'

export type TokenType = 'field' | 'word' | 'variable' | 'number' | 'format' | 'string' | 'operator' | 'invalid' | 'end'

export interface Token extends Span {
  readonly type: TokenType
  /** The name of fields, words, variables and formats; the characters of all other tokens. */
  readonly text: string
  readonly parts?: readonly StringPart[]
}

export type StringPart = string | readonly Token[]

const space = /[ \t\r\n]/
const word = /[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*/y
const plainWord = /[A-Za-z_][A-Za-z0-9_]*/y
const number = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y
const operator = /\?\/\/=?|\|=|\/\/=|\/\/|==|!=|<=|>=|\+=|-=|\*=|\/=|%=|\.\.|[.[\]{}()|,:;=<>+\-*/%?$]/y

export function tokenize(source: SourceText): Token[] {
  return new Lexer(source).all()
}

class Lexer {
  readonly #source: SourceText
  readonly #text: string
  #at = 0

  constructor(source: SourceText) {
    this.#source = source
    this.#text = source.text
  }

  all(): Token[] {
    return this.#tokens(undefined)
  }

  /** Tokens up to the end, or up to the parenthesis that closes an interpolation. */
  #tokens(closing: number | undefined): Token[] {
    const tokens: Token[] = []
    let depth = 0
    for (;;) {
      this.#skip()
      const start = this.#at
      if (start >= this.#text.length) {
        // When the program ends too early, jq reports the last token.
        const last = tokens.at(-1)
        const place = last ?? { start: closing ?? 0, end: closing ?? 0 }
        tokens.push({ type: 'end', text: '', start: place.start, end: place.end })
        return tokens
      }
      const token = this.#token(start)
      if (closing !== undefined && token.type === 'operator') {
        if (token.text === '(') depth += 1
        if (token.text === ')') {
          if (depth === 0) {
            tokens.push({ type: 'end', text: ')', start, end: token.end })
            return tokens
          }
          depth -= 1
        }
      }
      tokens.push(token)
    }
  }

  #skip(): void {
    const text = this.#text
    for (;;) {
      const character = text.charAt(this.#at)
      if (character === '#') this.#comment()
      else if (character !== '' && space.test(character)) this.#at += 1
      else return
    }
  }

  /** A backslash at the end of the line continues a comment on the next line. */
  #comment(): void {
    const text = this.#text
    for (; this.#at < text.length; this.#at += 1) {
      const character = text.charAt(this.#at)
      if (character === '\n') return
      if (character === '\\') {
        if (text.startsWith('\r\n', this.#at + 1)) this.#at += 2
        else if (text.charAt(this.#at + 1) === '\n' || text.charAt(this.#at + 1) === '\\') this.#at += 1
      }
    }
  }

  #token(start: number): Token {
    const text = this.#text
    const character = text.charAt(start)
    if (character === '"') return this.#string(start)
    if (character === '.') {
      const name = this.#match(plainWord, start + 1)
      if (name !== undefined) return this.#make('field', name, start, start + 1 + name.length)
    }
    const digits = this.#match(number, start)
    if (digits !== undefined) return this.#make('number', digits, start, start + digits.length)
    if (character === '$') {
      const name = this.#match(word, start + 1)
      if (name !== undefined) return this.#make('variable', name, start, start + 1 + name.length)
    }
    if (character === '@') {
      const name = this.#match(/[A-Za-z0-9_]+/y, start + 1)
      if (name !== undefined) return this.#make('format', name, start, start + 1 + name.length)
    }
    const name = this.#match(word, start)
    if (name !== undefined) return this.#make('word', name, start, start + name.length)
    const symbol = this.#match(operator, start)
    if (symbol !== undefined) return this.#make('operator', symbol, start, start + symbol.length)
    return this.#make('invalid', character, start, start + 1)
  }

  #string(start: number): Token {
    const text = this.#text
    const parts: StringPart[] = []
    let begin = start + 1
    let at = begin
    const flush = (end: number) => {
      if (end > begin) parts.push(this.#unescape(begin, end))
    }
    for (;;) {
      const character = text.charAt(at)
      if (character === '') {
        const expecting = 'QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END'
        throw syntaxError(
          this.#source,
          { start: begin, end: text.length },
          `syntax error, unexpected end of file, expecting ${expecting}`,
        )
      }
      if (character === '"') {
        flush(at)
        return this.#make('string', text.slice(start, at + 1), start, at + 1, parts)
      }
      if (character === '\\' && text.charAt(at + 1) === '(') {
        flush(at)
        this.#at = at + 2
        const inner = this.#tokens(at)
        const last = inner.at(-1)
        if (last?.text !== ')') {
          throw syntaxError(this.#source, last ?? { start, end: at }, 'syntax error, unexpected end of file')
        }
        parts.push(inner)
        at = last.end
        begin = at
      } else at += character === '\\' ? 2 : 1
    }
  }

  #unescape(begin: number, end: number): string {
    const raw = this.#text.slice(begin, end)
    const result = unescapeText(raw)
    if (typeof result === 'string') return result
    const span = { start: begin + result.start, end: begin + result.end }
    throw syntaxError(this.#source, span, result.message)
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at
    return pattern.exec(this.#text)?.[0]
  }

  #make(type: TokenType, text: string, start: number, end: number, parts?: readonly StringPart[]): Token {
    this.#at = end
    return parts === undefined ? { type, text, start, end } : { type, text, start, end, parts }
  }
}
