/** Text to steps. Positions are kept, because an error that names the character is an error that gets mended. */
import type { Comparison, Filter, Operand, Step } from './steps.ts'

export class SyntaxProblem extends Error {
  /** Counted from 0. */
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

export function parse(text: string): readonly Step[] {
  const open = text.length - text.trimStart().length
  const trimmed = text.trim()
  const braced = trimmed.startsWith('{')
  if (braced && !trimmed.endsWith('}')) throw new SyntaxProblem('the brace is not closed', text.length)
  const reader = new Reader(text, braced ? open + 1 : open, open + trimmed.length - (braced ? 1 : 0))
  if (reader.rest().trim() === '') throw new SyntaxProblem('the path is empty', reader.at)
  const steps = pathSteps(reader, true)
  if (!reader.done) throw new SyntaxProblem(`unexpected "${reader.peek()}"`, reader.at)
  return steps
}

class Reader {
  readonly text: string
  readonly end: number
  at: number

  constructor(text: string, at: number, end: number) {
    this.text = text
    this.at = at
    this.end = end
  }

  get done(): boolean {
    return this.at >= this.end
  }

  peek(length = 1): string {
    return this.text.slice(this.at, Math.min(this.at + length, this.end))
  }

  rest(): string {
    return this.text.slice(this.at, this.end)
  }

  take(expected: string): boolean {
    if (this.peek(expected.length) !== expected) return false
    this.at += expected.length
    return true
  }

  /** The text the pattern matches here; the pattern must be sticky. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found === undefined || this.at + found.length > this.end) return undefined
    this.at += found.length
    return found
  }

  blanks(): void {
    this.match(/\s*/y)
  }
}

/** A name may hold anything that has no meaning of its own; a backslash takes the meaning away. */
const name = /(?:\\.|[^\\.[\]{}()\s'"=<>!,?*$@|&])+/y

function pathSteps(reader: Reader, whole: boolean): Step[] {
  const steps: Step[] = []
  if (!reader.take('$')) reader.take('@')
  if (whole) {
    const first = reader.match(name)
    if (first !== undefined) steps.push({ kind: 'field', name: withoutEscapes(first) })
  }
  while (!reader.done) {
    if (reader.take('..')) {
      steps.push({ kind: 'descend' })
      if (reader.peek() !== '[') steps.push(named(reader))
    } else if (reader.take('.')) {
      // A dot alone means the value itself, and a dot may stand before a bracket.
      if (!reader.done && reader.peek() !== '[' && !/[\s=<>!)]/.test(reader.peek())) steps.push(named(reader))
    } else if (reader.peek() === '[') steps.push(bracket(reader))
    else break
  }
  return steps
}

function named(reader: Reader): Step {
  if (reader.take('*')) return { kind: 'wildcard' }
  const found = reader.match(name)
  if (found === undefined) throw new SyntaxProblem('a name is missing', reader.at)
  return { kind: 'field', name: withoutEscapes(found) }
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(.)/g, '$1')
}

function bracket(reader: Reader): Step {
  const start = reader.at
  reader.take('[')
  reader.blanks()
  if (reader.take('?(')) return { kind: 'filter', filter: filter(reader) }
  const parts: Step[] = []
  do {
    reader.blanks()
    parts.push(selector(reader))
    reader.blanks()
  } while (reader.take(','))
  if (!reader.take(']')) throw new SyntaxProblem('the bracket is not closed', start)
  const [only, ...more] = parts
  if (only !== undefined && more.length === 0) return only
  return { kind: 'union', parts: parts.map((part) => [part]) }
}

function selector(reader: Reader): Step {
  if (reader.take('*')) return { kind: 'wildcard' }
  const quoted = quotedText(reader)
  if (quoted !== undefined) return { kind: 'field', name: quoted }
  const numbers = reader.match(/-?\d*(?:\s*:\s*-?\d*){1,2}/y)
  if (numbers !== undefined) {
    const [from, to, step] = numbers.split(':').map((part) => (part.trim() === '' ? undefined : Number(part)))
    return { kind: 'slice', from, to, step }
  }
  const index = reader.match(/-?\d+/y)
  if (index !== undefined) return { kind: 'element', index: Number(index) }
  throw new SyntaxProblem('an index, a range, a quoted name, * or a filter is expected', reader.at)
}

function quotedText(reader: Reader): string | undefined {
  const quoted = reader.match(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/y)
  return quoted === undefined ? undefined : withoutEscapes(quoted.slice(1, -1))
}

function filter(reader: Reader): Filter {
  const start = reader.at
  reader.blanks()
  const left = operand(reader)
  reader.blanks()
  const comparison = reader.match(/[=!<>]=|[<>]/y) as Comparison | undefined
  let right: Operand | undefined
  if (comparison !== undefined) {
    reader.blanks()
    right = operand(reader)
    reader.blanks()
  }
  if (!reader.take(')')) throw new SyntaxProblem('a comparison or the end of the filter is expected', reader.at)
  reader.blanks()
  if (!reader.take(']')) throw new SyntaxProblem('the filter is not closed', start)
  return comparison === undefined || right === undefined ? { left } : { left, comparison, right }
}

function operand(reader: Reader): Operand {
  const text = quotedText(reader)
  if (text !== undefined) return { kind: 'literal', value: text }
  const number = reader.match(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y)
  if (number !== undefined) return { kind: 'literal', value: Number(number) }
  const word = reader.match(/(?:true|false|null)\b/y)
  if (word !== undefined) return { kind: 'literal', value: JSON.parse(word) as boolean | null }
  if (!/[@$.]/.test(reader.peek()))
    throw new SyntaxProblem('a value or a path that starts with @ is expected', reader.at)
  const absolute = reader.peek() === '$'
  return { kind: 'path', steps: pathSteps(reader, false), absolute }
}
