/**
 * Parses terms: primary expressions with the suffixes `.a`, `[…]` and `?`.
 */
import { parseNumber } from '../values/literal.ts'
import type { Node, ObjectEntry, Span } from './ast.ts'
import { lineOf } from './location.ts'
import { parsePatterns } from './pattern.ts'
import { keywords, type TokenStream } from './stream.ts'
import { checkObjectKey, parseText } from './text.ts'

export function parseTerm(stream: TokenStream): Node {
  // A `?` directly after an access applies to that access only; after anything else, to the whole term.
  let isAccess = stream.peek().type === 'field' || startsWithDottedText(stream)
  let term = parsePrimary(stream)
  for (;;) {
    const token = stream.peek()
    const wasAccess = isAccess
    isAccess = true
    if (token.type === 'field') {
      stream.take()
      term = fieldOf(term, token.text, token)
    } else if (stream.isOperator('.') && ['string', 'format'].includes(stream.peek(1).type)) {
      stream.take()
      const key = parseText(stream)
      term = { type: 'index', target: term, key, start: term.start, end: key.end }
    } else if (stream.isOperator('.')) {
      stream.take()
      if (!stream.isOperator('[')) stream.unexpected("FORMAT or QQSTRING_START or '['")
    } else if (stream.isOperator('[')) term = parseBrackets(stream, term)
    else if (stream.isOperator('?')) {
      const { end } = stream.take()
      isAccess = false
      term = wasAccess ? optional(term, end) : { type: 'try', body: term, handler: undefined, start: term.start, end }
    } else return term
  }
}

function startsWithDottedText(stream: TokenStream): boolean {
  return stream.isOperator('.') && ['string', 'format'].includes(stream.peek(1).type)
}

function optional(term: Node, end: number): Node {
  if (term.type === 'index' || term.type === 'slice' || term.type === 'iterate') return { ...term, optional: true, end }
  return { type: 'try', body: term, handler: undefined, start: term.start, end }
}

function parsePrimary(stream: TokenStream): Node {
  const token = stream.peek()
  const span: Span = { start: token.start, end: token.end }
  switch (token.type) {
    case 'number':
      stream.take()
      return { type: 'literal', value: parseNumber(token.text) ?? null, ...span }
    case 'field':
      stream.take()
      return fieldOf({ type: 'identity', ...span }, token.text, token)
    case 'variable':
      stream.take()
      return token.text === '__loc__' ? location(stream, span) : { type: 'variable', name: token.text, ...span }
    case 'string':
    case 'format':
      return parseText(stream)
    case 'word':
      return parseWord(stream)
    case 'operator':
      return parseOperatorTerm(stream)
    case 'invalid':
    case 'end':
      return stream.unexpected()
  }
}

function parseOperatorTerm(stream: TokenStream): Node {
  const token = stream.peek()
  const span: Span = { start: token.start, end: token.end }
  switch (token.text) {
    case '.': {
      stream.take()
      if (stream.peek().type !== 'string' && stream.peek().type !== 'format') return { type: 'identity', ...span }
      const key = parseText(stream)
      return { type: 'index', target: { type: 'identity', ...span }, key, start: token.start, end: key.end }
    }
    case '..':
      stream.take()
      return { type: 'call', name: 'recurse', args: [], ...span }
    case '(': {
      stream.take()
      const inner = stream.grammar.pipe(stream)
      stream.demandOperator(')', "'|' or ',' or ')'")
      return inner
    }
    case '[': {
      stream.take()
      const closed = stream.takeOperator(']')
      if (closed) return { type: 'array', body: undefined, start: token.start, end: closed.end }
      const body = stream.grammar.pipe(stream)
      const { end } = stream.demandOperator(']', "'|' or ',' or ']'")
      return { type: 'array', body, start: token.start, end }
    }
    case '{':
      return parseObject(stream)
    default:
      return stream.unexpected()
  }
}

function parseWord(stream: TokenStream): Node {
  const token = stream.take()
  const { start } = token
  switch (token.text) {
    case 'if':
      return parseIf(stream, start)
    case 'reduce': {
      const source = stream.grammar.operators(stream)
      stream.demandWord('as')
      const patterns = parsePatterns(stream)
      stream.demandOperator('(')
      const init = stream.grammar.pipe(stream)
      stream.demandOperator(';', "'|' or ',' or ';'")
      const update = stream.grammar.pipe(stream)
      const { end } = stream.demandOperator(')', "'|' or ',' or ')'")
      return { type: 'reduce', source, patterns, init, update, start, end }
    }
    case 'foreach': {
      const source = stream.grammar.operators(stream)
      stream.demandWord('as')
      const patterns = parsePatterns(stream)
      stream.demandOperator('(')
      const init = stream.grammar.pipe(stream)
      stream.demandOperator(';', "'|' or ',' or ';'")
      const update = stream.grammar.pipe(stream)
      const extract = stream.takeOperator(';') ? stream.grammar.pipe(stream) : undefined
      const { end } = stream.demandOperator(')', "'|' or ',' or ')'")
      return { type: 'foreach', source, patterns, init, update, extract, start, end }
    }
    case 'break': {
      const label = stream.peek()
      if (label.type !== 'variable') throw stream.fail(token, 'break requires a label to break to')
      stream.take()
      return { type: 'break', name: label.text, start, end: label.end }
    }
    default:
      return parseCall(stream, token.text, token)
  }
}

function parseCall(stream: TokenStream, name: string, span: Span): Node {
  if (keywords.has(name)) {
    throw stream.fail(span, `syntax error, unexpected ${name}`)
  }
  const args: Node[] = []
  if (stream.takeOperator('(')) {
    do args.push(stream.grammar.pipe(stream))
    while (stream.takeOperator(';'))
    stream.demandOperator(')', "';' or ')'")
  }
  return { type: 'call', name, args, start: span.start, end: span.end }
}

function parseIf(stream: TokenStream, start: number): Node {
  const condition = stream.grammar.pipe(stream)
  stream.demandWord('then', "'|' or ',' or then")
  const then = stream.grammar.pipe(stream)
  if (stream.takeWord('elif')) {
    const otherwise = stream.nested(() => parseIf(stream, stream.peek().start))
    return { type: 'if', condition, then, otherwise, start, end: otherwise.end }
  }
  const otherwise = stream.takeWord('else') ? stream.grammar.pipe(stream) : undefined
  const { end } = stream.demandWord('end', otherwise ? "'|' or ',' or end" : "'|' or ',' or elif or else or end")
  return { type: 'if', condition, then, otherwise, start, end }
}

function parseBrackets(stream: TokenStream, target: Node): Node {
  stream.take()
  const { start } = target
  const closed = stream.takeOperator(']')
  if (closed) return { type: 'iterate', target, start, end: closed.end }
  if (stream.takeOperator(':')) {
    const to = stream.grammar.pipe(stream)
    const { end } = stream.demandOperator(']', "'|' or ',' or ']'")
    return { type: 'slice', target, from: undefined, to, start, end }
  }
  const key = stream.grammar.pipe(stream)
  if (stream.takeOperator(':')) {
    const to = stream.isOperator(']') ? undefined : stream.grammar.pipe(stream)
    const { end } = stream.demandOperator(']', "'|' or ',' or ']'")
    return { type: 'slice', target, from: key, to, start, end }
  }
  const { end } = stream.demandOperator(']', "':' or '|' or ',' or ']'")
  return { type: 'index', target, key, start, end }
}

function parseObject(stream: TokenStream): Node {
  const { start } = stream.take()
  const entries: ObjectEntry[] = []
  if (!stream.isOperator('}')) {
    do entries.push(parseEntry(stream))
    while (stream.takeOperator(',') && !stream.isOperator('}'))
  }
  const { end } = stream.demandOperator('}')
  return { type: 'object', entries, start, end }
}

function parseEntry(stream: TokenStream): ObjectEntry {
  const token = stream.peek()
  const span: Span = { start: token.start, end: token.end }
  if (token.type === 'variable') {
    stream.take()
    const key: Node = { type: 'variable', name: token.text, ...span }
    if (stream.takeOperator(':')) return { key, value: stream.grammar.objectValue(stream) }
    const name: Node = { type: 'literal', value: token.text, ...span }
    return { key: name, value: token.text === '__loc__' ? location(stream, span) : key }
  }
  const key = parseKey(stream)
  return { key, value: stream.takeOperator(':') ? stream.grammar.objectValue(stream) : undefined }
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
    stream.demandOperator(')', "'|' or ',' or ')'")
    checkObjectKey(stream, key)
    return key
  }
  const wrong = stream.grammar.operators(stream)
  if (!stream.isOperator(':')) stream.unexpected("'}'")
  throw stream.fail(wrong, 'May need parentheses around object key expression')
}

function fieldOf(target: Node, name: string, span: Span): Node {
  const key: Node = { type: 'literal', value: name, start: span.start + 1, end: span.end }
  return { type: 'index', target, key, start: target.start, end: span.end }
}

function location(stream: TokenStream, span: Span): Node {
  const { source } = stream
  return { type: 'literal', value: { file: source.name, line: lineOf(source.text, span.start) }, ...span }
}
