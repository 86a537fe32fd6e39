/**
 * The token stream of the parser: peek, take, demand, and fail with the messages of jq.
 */
import type { JqError } from '../error.ts'
import type { Node, Span } from './ast.ts'
import type { Token } from './lexer.ts'
import { type SourceText, syntaxError } from './location.ts'

export const keywords: ReadonlySet<string> = new Set(
  'def if then else elif end as reduce foreach try catch label import include module and or __loc__'.split(' '),
)

const names: Readonly<Partial<Record<Token['type'], string>>> = {
  field: 'FIELD',
  variable: 'BINDING',
  number: 'LITERAL',
  format: 'FORMAT',
  string: 'QQSTRING_START',
  invalid: 'INVALID_CHARACTER',
  end: 'end of file',
}

/** Maximum nesting of parentheses, arrays and similar in a program. */
const maxNesting = 1_000

/** The parsers of whole expressions, which the parsers of terms call for expressions in brackets. */
export interface Grammar {
  /** A whole expression: pipes, commas, definitions. */
  pipe(stream: TokenStream): Node
  /** Operators without pipes and commas. */
  operators(stream: TokenStream): Node
  /** The value of an object entry: pipes, but no commas and bindings. */
  objectValue(stream: TokenStream): Node
}

export class TokenStream {
  readonly source: SourceText
  readonly grammar: Grammar
  readonly #tokens: readonly Token[]
  #at = 0
  #nesting = 0

  constructor(source: SourceText, tokens: readonly Token[], grammar: Grammar) {
    this.source = source
    this.grammar = grammar
    this.#tokens = tokens
  }

  /** A stream over the tokens of an interpolation, in the same source. */
  inside(tokens: readonly Token[]): TokenStream {
    const inner = new TokenStream(this.source, tokens, this.grammar)
    inner.#nesting = this.#nesting
    return inner
  }

  nested<T>(parse: () => T): T {
    this.#nesting += 1
    if (this.#nesting > maxNesting) throw this.fail(this.peek(), 'Program is nested too deeply')
    const parsed = parse()
    this.#nesting -= 1
    return parsed
  }

  peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]
    if (token === undefined) throw new Error('a token list always ends with an end token')
    return token
  }

  take(): Token {
    const token = this.peek()
    if (this.#at < this.#tokens.length - 1) this.#at += 1
    return token
  }

  isOperator(text: string): boolean {
    const token = this.peek()
    return token.type === 'operator' && token.text === text
  }

  isWord(text: string): boolean {
    const token = this.peek()
    return token.type === 'word' && token.text === text
  }

  takeOperator(text: string): Token | undefined {
    return this.isOperator(text) ? this.take() : undefined
  }

  takeWord(text: string): Token | undefined {
    return this.isWord(text) ? this.take() : undefined
  }

  demandOperator(text: string, expecting = `'${text}'`): Token {
    return this.takeOperator(text) ?? this.unexpected(expecting)
  }

  demandWord(text: string, expecting = text): Token {
    return this.takeWord(text) ?? this.unexpected(expecting)
  }

  unexpected(expecting?: string): never {
    const token = this.peek()
    const tail = expecting === undefined ? '' : `, expecting ${expecting}`
    throw this.fail(token, `syntax error, unexpected ${this.#nameOf(token)}${tail}`)
  }

  fail(span: Span, message: string): JqError {
    return syntaxError(this.source, span, message)
  }

  #nameOf(token: Token): string {
    if (token.type === 'word') return keywords.has(token.text) ? token.text : 'IDENT'
    if (token.type === 'end' && token.text === ')') return 'QQSTRING_INTERP_END'
    if (token.type !== 'operator') return names[token.type] ?? token.text
    if (this.#isUnmatched(token)) return 'INVALID_CHARACTER'
    return token.text.length === 1 ? `'${token.text}'` : token.text
  }

  /** The lexer of jq already rejects an unmatched closing bracket. */
  #isUnmatched(token: Token): boolean {
    const opening = { ')': '(', ']': '[', '}': '{' }[token.text]
    if (opening === undefined) return false
    const open: string[] = []
    for (const earlier of this.#tokens.slice(0, this.#at)) {
      if (earlier.type !== 'operator') continue
      if ('([{'.includes(earlier.text)) open.push(earlier.text)
      else if (')]}'.includes(earlier.text)) open.pop()
    }
    return open.at(-1) !== opening
  }
}
