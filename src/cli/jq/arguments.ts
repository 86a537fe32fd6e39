/**
 * Parses the command line of `carabiner jq` by the rules of jq: short flags may be combined, some options take two values, and the words
 * after `--args` are values, not files.
 */
import { JsonParser } from '../../jq/index.ts'
import { CarabinerError, type Json } from '../../runtime/index.ts'

export interface Arguments {
  readonly program: string
  readonly files: readonly string[]
  readonly flags: ReadonlySet<Flag>
  /** The indentation of one level; empty for compact output. */
  readonly indent: string
  readonly named: ReadonlyMap<string, NamedValue>
  readonly positional: readonly Json[]
}

export type NamedValue = { readonly value: Json } | { readonly file: string; readonly as: 'values' | 'text' }

const flagNames = {
  r: 'raw-output',
  c: 'compact-output',
  n: 'null-input',
  s: 'slurp',
  e: 'exit-status',
  j: 'join-output',
  R: 'raw-input',
  S: 'sort-keys',
} as const

export type Flag = (typeof flagNames)[keyof typeof flagNames] | 'yaml'

const longFlags: ReadonlySet<string> = new Set([...Object.values(flagNames), 'yaml'])
const maxIndent = 7

export function readArguments(given: readonly string[]): Arguments {
  return new Reader(given).read()
}

class Reader {
  readonly #rest: string[]
  readonly #flags = new Set<Flag>()
  readonly #named = new Map<string, NamedValue>()
  readonly #positional: Json[] = []
  readonly #files: string[] = []
  #program: string | undefined
  #indent = '  '
  #plainAs: 'file' | 'string' | 'json' = 'file'

  constructor(given: readonly string[]) {
    this.#rest = [...given]
  }

  read(): Arguments {
    let literal = false
    for (let word = this.#rest.shift(); word !== undefined; word = this.#rest.shift()) {
      if (literal || !word.startsWith('-') || word === '-') this.#plain(word)
      else if (word === '--') literal = true
      else if (word.startsWith('--')) this.#long(word.slice(2))
      else this.#short(word)
    }
    if (this.#program === undefined)
      throw usage('a program is required, for example: carabiner jq .metadata.name pod.json')
    return {
      program: this.#program,
      files: this.#files,
      flags: this.#flags,
      indent: this.#flags.has('compact-output') ? '' : this.#indent,
      named: this.#named,
      positional: this.#positional,
    }
  }

  #plain(word: string): void {
    if (this.#program === undefined) this.#program = word
    else if (this.#plainAs === 'file') this.#files.push(word)
    else this.#positional.push(this.#plainAs === 'string' ? word : parse(word, '--jsonargs'))
  }

  #short(word: string): void {
    for (const letter of word.slice(1)) {
      const name = Object.hasOwn(flagNames, letter) ? flagNames[letter as keyof typeof flagNames] : undefined
      if (name === undefined) throw usage(`${word}: unknown option -${letter}`)
      this.#flags.add(name)
    }
  }

  #long(name: string): void {
    if (longFlags.has(name)) {
      this.#flags.add(name as Flag)
      return
    }
    switch (name) {
      case 'arg':
        this.#name(name, (text) => ({ value: text }))
        return
      case 'argjson':
        this.#name(name, (text) => ({ value: parse(text, '--argjson') }))
        return
      case 'slurpfile':
        this.#name(name, (file) => ({ file, as: 'values' }))
        return
      case 'rawfile':
        this.#name(name, (file) => ({ file, as: 'text' }))
        return
      case 'args':
        this.#plainAs = 'string'
        return
      case 'jsonargs':
        this.#plainAs = 'json'
        return
      case 'tab':
        this.#indent = '\t'
        return
      case 'indent':
        this.#indent = ' '.repeat(this.#width())
        return
      default:
        throw usage(`unknown option --${name}`)
    }
  }

  #name(option: string, value: (text: string) => NamedValue): void {
    const name = this.#rest.shift()
    const text = this.#rest.shift()
    if (name === undefined || text === undefined) throw usage(`--${option} takes two values: a name and a value`)
    // As in jq, the first value of a name counts.
    if (!this.#named.has(name)) this.#named.set(name, value(text))
  }

  #width(): number {
    const text = this.#rest.shift()
    const width = Number(text)
    if (text === undefined || !Number.isInteger(width) || width < 0 || width > maxIndent) {
      throw usage(`--indent ${text ?? ''}: expected a number from 0 to ${maxIndent}`)
    }
    return width
  }
}

function parse(text: string, option: string): Json {
  try {
    const parser = new JsonParser(text)
    const value = parser.next()
    if (value !== undefined && parser.next() === undefined) return value
  } catch (error) {
    throw new CarabinerError('CRB_USAGE', `${option}: ${text} is not valid JSON`, { cause: error })
  }
  throw usage(`${option}: ${text} is not one JSON value`)
}

function usage(message: string): CarabinerError {
  return new CarabinerError('CRB_USAGE', message)
}
