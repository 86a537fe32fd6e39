/**
 * Parses operators by precedence, from pipes to unary minus. Terms are parsed in `term.ts`.
 */
import type { ComparisonOperator, Definition, Node, UpdateOperator } from './ast.ts'
import { parsePatterns } from './pattern.ts'
import { type Grammar, keywords, type TokenStream } from './stream.ts'
import { parseTerm } from './term.ts'

const level = { alternative: 1, update: 2, or: 3, and: 4, comparison: 5, sum: 6, product: 7 } as const

/** A map instead of an object: words such as `constructor` are looked up here, too. */
const operators: ReadonlyMap<string, number> = new Map([
  ...['//', '?//'].map((text): [string, number] => [text, level.alternative]),
  ...['=', '|=', '//=', '?//=', '+=', '-=', '*=', '/=', '%='].map((text): [string, number] => [text, level.update]),
  ['or', level.or],
  ['and', level.and],
  ...['==', '!=', '<', '<=', '>', '>='].map((text): [string, number] => [text, level.comparison]),
  ...['+', '-'].map((text): [string, number] => [text, level.sum]),
  ...['*', '/', '%'].map((text): [string, number] => [text, level.product]),
])

export const grammar: Grammar = {
  pipe: parsePipe,
  operators: (stream) => parseOperators(stream),
  objectValue: parseObjectValue,
}

/** A whole expression: pipes, commas, definitions. */
export function parsePipe(stream: TokenStream): Node {
  return stream.nested(() => {
    // Long pipes are folded from a list, so that their length does not use the stack.
    const stages = [parseComma(stream)]
    while (stream.takeOperator('|')) stages.push(parseComma(stream))
    return stages.reduceRight((right, left) => join('pipe', left, right))
  })
}

function parseComma(stream: TokenStream): Node {
  let left = parseBinding(stream)
  while (stream.takeOperator(',')) left = join('comma', left, parseBinding(stream))
  return left
}

/** The value of an object entry: pipes, but no commas and bindings. */
function parseObjectValue(stream: TokenStream): Node {
  return stream.nested(() => {
    const left = parseOperators(stream)
    return stream.takeOperator('|') ? join('pipe', left, parseObjectValue(stream)) : left
  })
}

function parseBinding(stream: TokenStream): Node {
  const source = parseOperators(stream)
  if (!stream.takeWord('as')) return source
  const patterns = parsePatterns(stream)
  stream.demandOperator('|', patterns.length === 1 ? "?// or '|'" : "'|'")
  const body = parsePipe(stream)
  return { type: 'as', source, patterns, body, start: source.start, end: body.end }
}

function parseOperators(stream: TokenStream, minimum: number = level.alternative): Node {
  let left = parseUnary(stream)
  let nonAssociative = 0
  for (;;) {
    const token = stream.peek()
    const strength = token.type === 'operator' || token.type === 'word' ? operators.get(token.text) : undefined
    if (strength === undefined || strength < minimum) return left
    if (strength === nonAssociative) stream.unexpected()
    stream.take()
    nonAssociative = strength === level.update || strength === level.comparison ? strength : 0
    const rightAssociative = strength === level.alternative
    const right = stream.nested(() => parseOperators(stream, rightAssociative ? strength : strength + 1))
    left = combine(token.text, left, right)
  }
}

function combine(operator: string, left: Node, right: Node): Node {
  if (operator.startsWith('?')) {
    const optional: Node = { type: 'try', body: left, handler: undefined, start: left.start, end: left.end }
    return combine(operator.slice(1), optional, right)
  }
  const span = { start: left.start, end: right.end }
  switch (operator) {
    case '//':
      return { type: 'alternative', left, right, ...span }
    case 'or':
    case 'and':
      return { type: operator, left, right, ...span }
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return { type: 'arithmetic', operator, left, right, ...span }
    default:
      if (operators.get(operator) === level.comparison) {
        return { type: 'comparison', operator: operator as ComparisonOperator, left, right, ...span }
      }
      return { type: 'update', operator: operator as UpdateOperator, left, right, ...span }
  }
}

function parseUnary(stream: TokenStream): Node {
  const token = stream.peek()
  if (token.type === 'operator' && token.text === '-') {
    stream.take()
    const operand = stream.nested(() => parseUnary(stream))
    return { type: 'negate', operand, start: token.start, end: operand.end }
  }
  if (token.type === 'word') {
    if (token.text === 'try') return parseTry(stream)
    if (token.text === 'def') {
      const definition = parseDefinition(stream)
      const rest = parsePipe(stream)
      return { type: 'define', definition, rest, start: token.start, end: rest.end }
    }
    if (token.text === 'label') {
      stream.take()
      const name = stream.peek().type === 'variable' ? stream.take().text : stream.unexpected('BINDING')
      stream.demandOperator('|')
      const body = parsePipe(stream)
      return { type: 'label', name, body, start: token.start, end: body.end }
    }
  }
  return parseTerm(stream)
}

function parseTry(stream: TokenStream): Node {
  const { start } = stream.take()
  const body = stream.nested(() => parseTried(stream))
  const handler = stream.takeWord('catch') ? stream.nested(() => parseTried(stream)) : undefined
  return { type: 'try', body, handler, start, end: (handler ?? body).end }
}

function parseTried(stream: TokenStream): Node {
  return stream.isOperator('-') || stream.isWord('try') ? parseUnary(stream) : parseTerm(stream)
}

export function parseDefinition(stream: TokenStream): Definition {
  stream.take()
  const token = stream.peek()
  if (token.type !== 'word' || keywords.has(token.text)) stream.unexpected('IDENT')
  stream.take()
  const parameters: string[] = []
  if (stream.takeOperator('(')) {
    do {
      const parameter = stream.peek()
      if (parameter.type === 'variable') parameters.push(`$${parameter.text}`)
      else if (parameter.type === 'word') parameters.push(parameter.text)
      else stream.unexpected('IDENT or BINDING')
      stream.take()
    } while (stream.takeOperator(';'))
    stream.demandOperator(')', "';' or ')'")
  }
  stream.demandOperator(':')
  const body = parsePipe(stream)
  stream.demandOperator(';', "'|' or ',' or ';'")
  return { name: token.text, parameters, body }
}

function join(type: 'pipe' | 'comma', left: Node, right: Node): Node {
  return { type, left, right, start: left.start, end: right.end }
}
