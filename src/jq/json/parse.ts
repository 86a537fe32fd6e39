/**
 * Parses JSON exactly as jq does, with the same error messages. Numbers keep their text when a double would lose precision. Parses one
 * value after another, so a stream of documents needs no separator.
 */
import type { Json } from '../../runtime/index.ts'
import { runtimeError } from '../error.ts'
import { maxValueDepth } from '../limits.ts'
import { utf8Length } from '../values/describe.ts'
import { parseNumber } from '../values/literal.ts'
import { type MutableObject, setKey } from '../values/object.ts'
import { wellFormed } from '../values/text.ts'

type Open = { readonly array: Json[] } | { readonly object: MutableObject; key: string | undefined; filled: boolean }

const structure = '[]{},:'
const whitespace = ' \t\r\n'
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Parses a single value, like `fromjson`. */
export function parseJson(text: string): Json {
  const parser = new JsonParser(text)
  try {
    const value = parser.next()
    if (value === undefined) throw runtimeError('Expected JSON value')
    if (parser.next() !== undefined) throw runtimeError('Unexpected extra JSON values')
    return value
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw runtimeError(`${error.message} (while parsing '${text}')`)
  }
}

export class JsonParser {
  readonly #text: string
  #at = 0
  #open: Open[] = []
  #next: Json | undefined

  constructor(text: string) {
    this.#text = text.startsWith('\ufeff') ? text.slice(1) : text
  }

  /** The next value of the stream, or undefined at its end. */
  next(): Json | undefined {
    const text = this.#text
    while (this.#at < text.length) {
      const character = text.charAt(this.#at)
      if (whitespace.includes(character)) this.#at += 1
      else if (structure.includes(character)) {
        this.#at += 1
        this.#structure(character)
      } else if (character === '"') this.#string()
      else this.#word()
      if (this.#open.length === 0 && this.#next !== undefined) {
        const value = this.#next
        this.#next = undefined
        return value
      }
    }
    if (this.#open.length > 0) throw this.#error('Unfinished JSON term', true)
    return undefined
  }

  #value(value: Json): void {
    if (this.#next !== undefined) throw this.#error('Expected separator between values')
    this.#next = value
  }

  #structure(character: string): void {
    switch (character) {
      case '[':
      case '{':
        if (this.#open.length >= maxValueDepth) throw this.#error('Exceeds depth limit for parsing')
        if (this.#next !== undefined) throw this.#error('Expected separator between values')
        this.#open.push(character === '[' ? { array: [] } : { object: {}, key: undefined, filled: false })
        return
      case ':':
        this.#colon()
        return
      case ',':
        this.#comma()
        return
      default:
        this.#close(character)
    }
  }

  #colon(): void {
    const key = this.#next
    if (key === undefined) throw this.#error("Expected string key before ':'")
    const top = this.#open.at(-1)
    if (top === undefined || 'array' in top || top.key !== undefined) throw this.#error("':' not as part of an object")
    if (typeof key !== 'string') throw this.#error('Object keys must be strings')
    top.key = key
    this.#next = undefined
  }

  #comma(): void {
    if (this.#next === undefined) throw this.#error("Expected value before ','")
    const top = this.#open.at(-1)
    if (top === undefined) throw this.#error("',' not as part of an object or array")
    this.#store(top, this.#next)
  }

  #store(top: Open, value: Json): void {
    if ('array' in top) top.array.push(value)
    else {
      if (top.key === undefined) throw this.#error('Objects must consist of key:value pairs')
      setKey(top.object, top.key, value)
      top.key = undefined
      top.filled = true
    }
    this.#next = undefined
  }

  #close(character: string): void {
    const top = this.#open.at(-1)
    if (character === ']') {
      if (top === undefined || !('array' in top)) throw this.#error("Unmatched ']'")
      if (this.#next !== undefined) this.#store(top, this.#next)
      else if (top.array.length > 0) throw this.#error('Expected another array element')
      this.#next = top.array
    } else {
      if (top === undefined) throw this.#error("Unmatched '}'")
      if (this.#next !== undefined) {
        if ('array' in top) throw this.#error('Objects must consist of key:value pairs')
        this.#store(top, this.#next)
      } else if ('array' in top || top.key !== undefined) throw this.#error("Unmatched '}'")
      else if (top.filled) throw this.#error('Expected another key-value pair')
      this.#next = top.object
    }
    this.#open.pop()
  }

  #string(): void {
    const text = this.#text
    const begin = this.#at + 1
    let end = begin
    while (end < text.length && text.charCodeAt(end) !== 0x22) end += text.charCodeAt(end) === 0x5c ? 2 : 1
    if (end >= text.length) {
      this.#at = text.length
      throw this.#error('Unfinished string', true)
    }
    this.#at = end + 1
    this.#value(this.#unescape(text.slice(begin, end)))
  }

  #unescape(raw: string): string {
    if (!needsCare.test(raw)) return raw
    let out = ''
    for (let i = 0; i < raw.length; i += 1) {
      const character = raw.charAt(i)
      if (character !== '\\') {
        if (character < ' ') {
          throw this.#error('Invalid string: control characters from U+0000 through U+001F must be escaped')
        }
        out += character
        continue
      }
      i += 1
      const letter = raw.charAt(i)
      const plain = escapes[letter]
      if (plain !== undefined) out += plain
      else if (letter === 'u') {
        const code = this.#hex(raw, i + 1)
        i += 4
        if (code >= 0xd800 && code < 0xdc00) {
          const low = raw.startsWith('\\u', i + 1) && i + 6 < raw.length ? this.#hex(raw, i + 3) : 0
          if (low < 0xdc00 || low > 0xdfff) throw this.#error('Invalid \\uXXXX\\uXXXX surrogate pair escape')
          i += 6
          out += String.fromCharCode(code, low)
        } else out += code >= 0xdc00 && code < 0xe000 ? '\ufffd' : String.fromCharCode(code)
      } else throw this.#error('Invalid escape')
    }
    return wellFormed(out)
  }

  #hex(raw: string, at: number): number {
    const digits = raw.slice(at, at + 4)
    if (digits.length < 4) throw this.#error('Invalid \\uXXXX escape')
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#error('Invalid characters in \\uXXXX escape')
    return Number.parseInt(digits, 16)
  }

  #word(): void {
    const text = this.#text
    const begin = this.#at
    let end = begin
    while (end < text.length && !wordEnd.includes(text.charAt(end))) end += 1
    const word = text.slice(begin, end)
    const atEnd = end >= text.length
    this.#at = atEnd ? end : end + 1
    const value = this.#wordValue(word, atEnd)
    this.#at = end
    this.#value(value)
  }

  #wordValue(word: string, atEnd: boolean): Json {
    if (word === 'true') return true
    if (word === 'false') return false
    if (word === 'null') return null
    if (/^(?:t|f|nu)/.test(word)) throw this.#error('Invalid literal', atEnd)
    if (word.startsWith("'")) throw this.#error('Invalid string literal; expected ", but got \'', atEnd)
    if (/^-?nan$/i.test(word)) return Number.NaN
    if (/^-?infinity$/i.test(word)) return word.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
    const number = parseNumber(word)
    if (number === undefined) throw this.#error('Invalid numeric literal', atEnd)
    return number
  }

  #error(message: string, atEnd = false): Error {
    const read = this.#text.slice(0, this.#at)
    const lines = read.split('\n')
    const column = utf8Length(lines.at(-1) ?? '')
    return runtimeError(`${message}${atEnd ? ' at EOF' : ''} at line ${lines.length}, column ${column}`)
  }
}

const wordEnd = `${structure}${whitespace}"`
const needsCare = /[^\u0020-\ud7ff\ue000-\uffff]|\\/
