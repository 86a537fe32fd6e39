/**
 * Reads the fields of one object of a configuration. Every field that is read counts as known; `end` reports the others and suggests the
 * most similar known field.
 */
import { isJsonObject, type JsonObject } from '../../../runtime/index.ts'
import { type Findings, shown, suggest } from './findings.ts'

/** Unknown fields are errors in v1 and warnings in v0. */
export type Strictness = 'strict' | 'lenient'

export class Fields {
  readonly path: string
  readonly findings: Findings
  readonly #value: JsonObject
  readonly #strictness: Strictness
  readonly #read = new Set<string>()

  constructor(value: JsonObject, path: string, findings: Findings, strictness: Strictness) {
    this.#value = value
    this.path = path
    this.findings = findings
    this.#strictness = strictness
  }

  /** The unchecked value; null counts as absent, because YAML reads `key:` as null. */
  raw(key: string): unknown {
    this.#read.add(key)
    return this.#value[key] ?? undefined
  }

  has(key: string): boolean {
    return this.raw(key) !== undefined
  }

  /** None of the known fields is present. */
  get hasNoKnownField(): boolean {
    return ![...this.#read].some((key) => this.has(key))
  }

  text(key: string): string | undefined {
    return this.#typed(key, 'a string', (value): value is string => typeof value === 'string')
  }

  /** Also undefined for an empty string. */
  nonEmpty(key: string): string | undefined {
    return this.text(key) || undefined
  }

  required(key: string): string {
    const value = this.text(key)
    if (!this.has(key)) this.findings.error(this.at(key), 'is required')
    else if (value === '') this.findings.error(this.at(key), 'must not be empty')
    return value ?? ''
  }

  number(key: string): number | undefined {
    return this.#typed(key, 'a number', (value): value is number => typeof value === 'number')
  }

  integer(key: string): number | undefined {
    return this.#typed(key, 'a whole number', (value): value is number => Number.isInteger(value))
  }

  /** Also accepts the strings yes, no, true and false. */
  boolean(key: string): boolean | undefined {
    const value = this.raw(key)
    if (value === 'yes' || value === 'true') return true
    if (value === 'no' || value === 'false') return false
    return this.#typed(key, 'true or false', (given): given is boolean => typeof given === 'boolean')
  }

  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.raw(key)
    const hint = hintFor(typeof value === 'string' ? suggest(value, choices) : undefined)
    return this.#typed(
      key,
      `one of ${choices.join(', ')}`,
      (given): given is Choice => choices.includes(given as Choice),
      hint,
    )
  }

  texts(key: string): readonly string[] | undefined {
    return this.#typed(
      key,
      'a list of strings',
      (value): value is readonly string[] => Array.isArray(value) && value.every((item) => typeof item === 'string'),
    )
  }

  choices<Choice extends string>(key: string, choices: readonly Choice[]): readonly Choice[] | undefined {
    const given = this.texts(key)
    const known = given?.filter((item): item is Choice => choices.includes(item as Choice))
    for (const item of given ?? [])
      if (!choices.includes(item as Choice)) this.findings.error(this.at(key), unknownChoice(item, choices))
    return known
  }

  object(key: string): Fields | undefined {
    const value = this.#typed(key, 'an object', isJsonObject)
    return value === undefined ? undefined : this.#below(value, this.at(key))
  }

  /** A list of objects; an empty list is an error in v1 unless it may be `any` list. */
  objects(key: string, presence: 'optional' | 'required' | 'any' = 'optional'): readonly Fields[] {
    if (presence === 'required' && !this.has(key)) this.findings.error(this.at(key), 'is required')
    const value = this.#typed(key, 'a list of objects', (given): given is readonly unknown[] => Array.isArray(given))
    if (value?.length === 0 && this.#strictness === 'strict' && presence !== 'any')
      this.findings.error(this.at(key), `must not be empty${presence === 'required' ? '' : '; leave it out instead'}`)
    return (value ?? []).flatMap((item, index) => {
      const path = `${this.at(key)}[${index}]`
      if (isJsonObject(item)) return [this.#below(item, path)]
      this.findings.error(path, `must be an object, not ${shown(item)}`)
      return []
    })
  }

  /** A map of strings. Null is an error unless it stands for a text. */
  textMap(key: string, nullText?: string): Readonly<Record<string, string>> | undefined {
    const value = this.#typed(key, 'a map of strings', isJsonObject)
    if (value === undefined) return undefined
    const entries = Object.entries(value).map(([name, text]) => [name, text ?? nullText ?? text] as const)
    for (const [name, text] of entries)
      if (typeof text !== 'string')
        this.findings.error(`${this.at(key)}.${name}`, `must be a string, not ${shown(text)}; put it in quotes`)
    return Object.fromEntries(
      entries.filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string'),
    )
  }

  at(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`
  }

  error(key: string, text: string): void {
    this.findings.error(this.at(key), text)
  }

  /** Reports unknown fields; to be called after all fields are read. */
  end(): void {
    for (const key of Object.keys(this.#value)) {
      if (this.#read.has(key)) continue
      const suggestion = suggest(key, this.#read)
      const hint = suggestion === undefined ? `known are ${[...this.#read].join(', ')}` : `did you mean ${suggestion}?`
      if (this.#strictness === 'strict') this.findings.error(this.at(key), `is not known (${hint})`)
      else this.findings.warn(this.at(key), `is not known and ignored (${hint})`)
    }
  }

  #typed<T>(key: string, expected: string, isExpected: (value: unknown) => value is T, hint = ''): T | undefined {
    const value = this.raw(key)
    if (value === undefined) return undefined
    if (isExpected(value)) return value
    this.findings.error(this.at(key), `must be ${expected}, not ${shown(value)}${hint}`)
    return undefined
  }

  #below(value: JsonObject, path: string): Fields {
    return new Fields(value, path, this.findings, this.#strictness)
  }
}

function unknownChoice(value: string, choices: readonly string[]): string {
  return `${shown(value)} is not one of ${choices.join(', ')}${hintFor(suggest(value, choices))}`
}

function hintFor(suggestion: string | undefined): string {
  return suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`
}
