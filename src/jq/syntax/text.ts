/** Strings with their interpolations and formats, and the check of expressions used as object keys. */
import type { Json } from '../../runtime/index.ts'
import { abbreviate } from '../values/describe.ts'
import { kindOf } from '../values/kind.ts'
import type { Node, Span } from './ast.ts'
import type { TokenStream } from './stream.ts'

const constants: ReadonlyMap<string, Json> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

export function checkObjectKey(stream: TokenStream, key: Node): void {
  const isWord = key.type === 'call' && key.args.length === 0
  const value = key.type === 'literal' ? key.value : isWord ? constants.get(key.name) : undefined
  if (value === undefined || typeof value === 'string') return
  throw stream.fail(key, `Cannot use ${kindOf(value)} (${abbreviate(value)}) as object key`)
}

/** Parses a string with an optional format, or a format alone. */
export function parseText(stream: TokenStream): Node {
  const token = stream.take()
  if (token.type === 'format' && stream.peek().type !== 'string') {
    return { type: 'format', name: token.text, start: token.start, end: token.end }
  }
  const string = token.type === 'format' ? stream.take() : token
  const parts = (string.parts ?? []).map((part) => {
    if (typeof part === 'string') return part
    const inner = stream.inside(part)
    const node = inner.grammar.pipe(inner)
    if (inner.peek().type !== 'end') inner.unexpected("QQSTRING_INTERP_END or '|' or ','")
    return node
  })
  const span: Span = { start: token.start, end: string.end }
  if (parts.every((part) => typeof part === 'string')) return { type: 'literal', value: parts.join(''), ...span }
  return { type: 'text', format: token.type === 'format' ? token.text : 'text', parts, ...span }
}
