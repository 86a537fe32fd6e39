/** Label selectors of queries: `a=b,c!=d,e in (f,g),h notin (i),j,!k,n>3,m<4`. */
import { badRequest } from '../status/status-error.ts'
import { validateLabelKey, validateLabelValue } from './names.ts'

export interface Requirement {
  readonly key: string
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt'
  readonly values: readonly string[]
}

export type Labels = Readonly<Record<string, string>> | undefined

export function parseLabelSelector(text: string): readonly Requirement[] {
  try {
    return new Parser(text).parse()
  } catch (error) {
    throw error instanceof SyntaxError ? badRequest(error.message) : error
  }
}

export function matchesLabels(requirements: readonly Requirement[], labels: Labels): boolean {
  return requirements.every((requirement) => matches(requirement, labels))
}

function matches({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case 'in':
      return value !== undefined && values.includes(value)
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'gt':
    case 'lt': {
      if (value === undefined || !/^[+-]?\d+$/.test(value)) return false
      const [left, right] = [BigInt(value.replace(/^\+/, '')), BigInt((values[0] ?? '0').replace(/^\+/, ''))]
      return operator === 'gt' ? left > right : left < right
    }
  }
}

/** A `LabelSelector` object (`matchLabels`, `matchExpressions`) as requirements; an absent selector matches nothing. */
export function requirementsOf(selector: {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}): readonly Requirement[] {
  const requirements: Requirement[] = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'in',
    values: [value],
  }))
  const operators = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: 'absent' } as const
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = operators[operator as keyof typeof operators]
    if (known === undefined) throw badRequest(`"${operator}" is not a valid label selector operator`)
    requirements.push({ key, operator: known, values: values ?? [] })
  }
  return requirements
}

/** Formats a selector in the order of the real API server. */
export function formatLabelSelector(requirements: readonly Requirement[]): string {
  const sorted = [...requirements].sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
  return sorted.map(formatRequirement).join(',')
}

function formatRequirement({ key, operator, values }: Requirement): string {
  const list = [...values].sort().join(',')
  switch (operator) {
    case 'exists':
      return key
    case 'absent':
      return `!${key}`
    case 'in':
      return values.length === 1 ? `${key}=${list}` : `${key} in (${list})`
    case 'notin':
      return values.length === 1 ? `${key}!=${list}` : `${key} notin (${list})`
    case 'gt':
      return `${key}>${list}`
    case 'lt':
      return `${key}<${list}`
  }
}

type Token = { readonly kind: 'symbol' | 'word' | 'end'; readonly text: string }

class Parser {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  parse(): readonly Requirement[] {
    const requirements: Requirement[] = []
    if (this.#peek().kind === 'end') return requirements
    for (;;) {
      requirements.push(this.#checkedRequirement())
      const next = this.#take()
      if (next.kind === 'end') return requirements
      if (next.text !== ',') throw new SyntaxError(`found '${next.text}', expected: ',' or 'end of string'`)
      const after = this.#peek()
      if (after.kind !== 'word' && after.text !== '!') {
        throw new SyntaxError(`found '${after.text}', expected: identifier after ','`)
      }
    }
  }

  #checkedRequirement(): Requirement {
    try {
      return this.#requirement()
    } catch (error) {
      throw error instanceof SyntaxError ? new SyntaxError(`unable to parse requirement: ${error.message}`) : error
    }
  }

  #requirement(): Requirement {
    const absent = this.#peek().text === '!'
    if (absent) this.#take()
    const { kind, text: key } = this.#take()
    if (kind !== 'word') throw new SyntaxError(`found '${key}', expected: identifier`)
    const faults = validateLabelKey(key)
    if (faults.length > 0) throw new SyntaxError(`<nil>: Invalid value: ${JSON.stringify(key)}: ${faults.join('; ')}`)
    if (absent) return { key, operator: 'absent', values: [] }
    const next = this.#peek()
    if (next.kind === 'end' || next.text === ',') return { key, operator: 'exists', values: [] }
    return this.#comparison(key)
  }

  #comparison(key: string): Requirement {
    const { text: operator } = this.#take()
    switch (operator) {
      case '=':
      case '==':
        return this.#checked({ key, operator: 'in', values: [this.#value()] })
      case '!=':
        return this.#checked({ key, operator: 'notin', values: [this.#value()] })
      case '>':
      case '<': {
        const value = this.#value()
        if (!/^[+-]?\d+$/.test(value)) {
          throw new SyntaxError(
            `values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
          )
        }
        return { key, operator: operator === '>' ? 'gt' : 'lt', values: [value] }
      }
      case 'in':
      case 'notin':
        return this.#checked({ key, operator, values: this.#set() })
      default:
        throw new SyntaxError(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`)
    }
  }

  #checked(requirement: Requirement): Requirement {
    for (const [index, value] of requirement.values.entries()) {
      const faults = validateLabelValue(value)
      if (faults.length === 0) continue
      throw new SyntaxError(
        `values[${index}][${requirement.key}]: Invalid value: ${JSON.stringify(value)}: ${faults.join('; ')}`,
      )
    }
    return requirement
  }

  #value(): string {
    const next = this.#peek()
    if (next.kind === 'end' || next.text === ',') return ''
    const { kind, text } = this.#take()
    if (kind !== 'word') throw new SyntaxError(`found '${text}', expected: identifier`)
    return text
  }

  #set(): readonly string[] {
    if (this.#take().text !== '(')
      throw new SyntaxError(`found '${this.#tokens[this.#position - 1]?.text ?? ''}' expected: '('`)
    const values: string[] = []
    for (;;) {
      const next = this.#take()
      if (next.kind === 'word') {
        values.push(next.text)
        const separator = this.#take()
        if (separator.text === ')') return values
        if (separator.text !== ',') throw new SyntaxError(`found '${separator.text}', expected: ',' or ')'`)
        if (this.#peek().text === ')') values.push('')
      } else if (next.text === ')') {
        return values.length === 0 ? [''] : values
      } else if (next.text === ',') {
        values.push('')
      } else throw new SyntaxError(`found '${next.text}', expected: ',', ')' or identifier`)
    }
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: '' }
  }

  #take(): Token {
    const token = this.#peek()
    this.#position++
    return token
  }
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  for (const [found] of text.matchAll(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g)) {
    tokens.push({ kind: /^[=!(),<>]/.test(found) ? 'symbol' : 'word', text: found })
  }
  return tokens
}
