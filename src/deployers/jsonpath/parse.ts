/** Parses a JSON path into steps. Syntax errors carry the position. */
import type { Comparison, Filter, Operand, Step } from './steps.ts'

export class SyntaxProblem extends Error {
  /** The index of the character, from 0. */
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
  const steps = wholePath(reader)
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

  /** The text that the pattern matches at this position; the pattern must be sticky. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found === undefined || this.at + found.length > this.end) return undefined
    this.at += found.length
    return found
  }

  skipBlanks(): void {
    this.match(/\s*/y)
  }
}

/** A name has no characters of the path syntax, unless they are escaped with a backslash. */
const name = /(?:\\.|[^\\.[\]{}()\s'"=<>!,?*$@|&])+/y

/** The leading dot of a path may be left out, but not inside a filter. */
function wholePath(reader: Reader): Step[] {
  takeRoot(reader)
  const first = reader.match(name)
  const field: Step[] = first === undefined ? [] : [{ kind: 'field', name: withoutEscapes(first) }]
  return [...field, ...pathSteps(reader)]
}

function takeRoot(reader: Reader): void {
  if (!reader.take('$')) reader.take('@')
}

function pathSteps(reader: Reader): Step[] {
  const steps: Step[] = []
  while (!reader.done) {
    if (reader.take('..')) {
      steps.push({ kind: 'descend' })
      if (reader.peek() !== '[') steps.push(named(reader))
    } else if (reader.take('.')) {
      // A single dot means the value itself, and a dot is allowed before a bracket.
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
  reader.skipBlanks()
  if (reader.take('?(')) return { kind: 'filter', filter: filter(reader) }
  const parts: Step[] = []
  do {
    reader.skipBlanks()
    parts.push(selector(reader))
    reader.skipBlanks()
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
  reader.skipBlanks()
  const left = operand(reader)
  reader.skipBlanks()
  const comparison = reader.match(/[=!<>]=|[<>]/y) as Comparison | undefined
  let right: Operand | undefined
  if (comparison !== undefined) {
    reader.skipBlanks()
    right = operand(reader)
    reader.skipBlanks()
  }
  if (!reader.take(')')) throw new SyntaxProblem('a comparison or the end of the filter is expected', reader.at)
  reader.skipBlanks()
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
  takeRoot(reader)
  return { kind: 'path', steps: pathSteps(reader), absolute }
}
