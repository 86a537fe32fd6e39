/**
 * Destructuring patterns: `$x`, `[$a, {b: $c}]`, and alternatives joined by `?//`.
 */
import type { Node, Pattern, PatternEntry } from './ast.ts'
import type { TokenStream } from './stream.ts'
import { checkObjectKey, parseText } from './text.ts'

const patternStart = "BINDING or '[' or '{'"

export function parsePatterns(stream: TokenStream): Pattern[] {
  const patterns = [parsePattern(stream)]
  while (stream.takeOperator('?//')) patterns.push(parsePattern(stream))
  return patterns
}

function parsePattern(stream: TokenStream): Pattern {
  return stream.nested(() => {
    const token = stream.peek()
    if (token.type === 'variable') {
      stream.take()
      return { type: 'variable', name: token.text }
    }
    if (stream.takeOperator('[')) {
      const items = [parsePattern(stream)]
      while (stream.takeOperator(',')) items.push(parsePattern(stream))
      stream.demandOperator(']', "',' or ']'")
      return { type: 'array', items }
    }
    if (stream.takeOperator('{')) {
      const entries = [parseEntry(stream)]
      while (stream.takeOperator(',')) entries.push(parseEntry(stream))
      stream.demandOperator('}', "',' or '}'")
      return { type: 'object', entries }
    }
    return stream.unexpected(patternStart)
  })
}

function parseEntry(stream: TokenStream): PatternEntry {
  const token = stream.peek()
  const span = { start: token.start, end: token.end }
  if (token.type === 'variable') {
    stream.take()
    const key: Node = { type: 'literal', value: token.text, ...span }
    return stream.takeOperator(':')
      ? { key, variable: token.text, pattern: parsePattern(stream) }
      : { key, variable: token.text }
  }
  const key = parseKey(stream)
  stream.demandOperator(':')
  return { key, pattern: parsePattern(stream) }
}

function parseKey(stream: TokenStream): Node {
  const token = stream.peek()
  if (token.type === 'word') {
    stream.take()
    return { type: 'literal', value: token.text, start: token.start, end: token.end }
  }
  if (token.type === 'string' || token.type === 'format') return parseText(stream)
  if (stream.takeOperator('(')) {
    const key = stream.grammar.pipe(stream)
    stream.demandOperator(')')
    checkObjectKey(stream, key)
    return key
  }
  return stream.unexpected()
}
