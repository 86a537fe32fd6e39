/**
 * Parses a program or library: `module`, imports, definitions, and the main expression.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import { isObject } from '../values/kind.ts'
import { setKey } from '../values/object.ts'
import type { Definition, Import, Node, ProgramSource } from './ast.ts'
import { grammar, parseDefinition, parsePipe } from './expression.ts'
import { tokenize } from './lexer.ts'
import type { SourceText } from './location.ts'
import { TokenStream } from './stream.ts'
import { parseText } from './text.ts'

export function parseProgram(source: SourceText): ProgramSource {
  const stream = new TokenStream(source, tokenize(source), grammar)
  const metadata = stream.takeWord('module') ? parseMetadata(stream) : undefined
  const imports: Import[] = []
  while (stream.isWord('import') || stream.isWord('include')) imports.push(parseImport(stream))
  const definitions: Definition[] = []
  while (stream.isWord('def')) definitions.push(parseDefinition(stream))
  if (stream.peek().type === 'end') return { metadata, imports, definitions, main: undefined }
  const main = startsExpression(stream) ? parsePipe(stream) : stream.unexpected('end of file')
  if (stream.peek().type !== 'end') stream.unexpected('end of file')
  return { metadata, imports, definitions, main }
}

function startsExpression(stream: TokenStream): boolean {
  const token = stream.peek()
  if (token.type === 'invalid') return false
  return token.type !== 'operator' || ['.', '..', '(', '[', '{', '-', '$'].includes(token.text)
}

function parseMetadata(stream: TokenStream): JsonObject {
  const node = parsePipe(stream)
  stream.demandOperator(';', "'|' or ',' or ';'")
  const value = constantOf(node)
  if (value === undefined) throw stream.fail(parenthesised(stream, node), 'Module metadata must be constant')
  if (!isObject(value)) throw stream.fail(node, 'Module metadata must be an object')
  return value
}

/** In jq, the position of an expression includes its parentheses. */
function parenthesised(stream: TokenStream, node: Node): { start: number; end: number } {
  const { text } = stream.source
  const wrapped = text.charAt(node.start - 1) === '(' && text.charAt(node.end) === ')'
  return wrapped ? { start: node.start - 1, end: node.end + 1 } : node
}

function parseImport(stream: TokenStream): Import {
  const keyword = stream.take()
  if (stream.peek().type !== 'string' && stream.peek().type !== 'format') stream.unexpected('FORMAT or QQSTRING_START')
  const path = parseText(stream)
  if (path.type !== 'literal' || typeof path.value !== 'string') {
    throw stream.fail(path, 'Import path must be constant')
  }
  let as: string | undefined
  let data = false
  if (keyword.text === 'import') {
    stream.demandWord('as')
    const name = stream.peek()
    if (name.type !== 'variable' && name.type !== 'word') stream.unexpected('IDENT or BINDING')
    stream.take()
    as = name.text
    data = name.type === 'variable'
  }
  const span = { start: keyword.start, end: path.end }
  if (stream.takeOperator(';')) return { path: path.value, as, data, metadata: {}, span }
  return { path: path.value, as, data, metadata: parseMetadata(stream), span }
}

/** The value of a constant expression; undefined for any other. */
function constantOf(node: Node): Json | undefined {
  switch (node.type) {
    case 'literal':
      return node.value
    case 'call': {
      const words: Readonly<Record<string, Json>> = { true: true, false: false, null: null }
      return node.args.length === 0 && Object.hasOwn(words, node.name) ? words[node.name] : undefined
    }
    case 'array': {
      if (node.body === undefined) return []
      const items = constantItems(node.body)
      return items
    }
    case 'object': {
      const object: { [key: string]: Json } = {}
      for (const { key, value } of node.entries) {
        const name = constantOf(key)
        const constant = value === undefined ? undefined : constantOf(value)
        if (typeof name !== 'string' || constant === undefined) return undefined
        setKey(object, name, constant)
      }
      return object
    }
    default:
      return undefined
  }
}

function constantItems(node: Node): Json[] | undefined {
  if (node.type !== 'comma') {
    const value = constantOf(node)
    return value === undefined ? undefined : [value]
  }
  const left = constantItems(node.left)
  const right = constantItems(node.right)
  return left && right ? [...left, ...right] : undefined
}
