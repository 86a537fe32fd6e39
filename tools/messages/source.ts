/**
 * Reads the structs of one Go package and writes each as a line of the message table. It reads struct tags and nothing else.
 */

/** Types whose JSON form is not that of their fields. */
const special: Readonly<Record<string, string>> = {
  'resource.Quantity': 'quantity',
  'metav1.Time': 'time',
  Time: 'time',
  'metav1.MicroTime': 'microtime',
  MicroTime: 'microtime',
  'metav1.Duration': 'duration',
  'intstr.IntOrString': 'intstr',
  'runtime.RawExtension': 'raw',
  FieldsV1: 'fields',
  '[]byte': 'bytes',
  string: 'string',
  bool: 'bool',
  int: 'int',
  int32: 'int',
  int64: 'int',
  uint32: 'int',
  float64: 'double',
}

const fieldLine = /^\t(?:(\w+)\s+)?(\S+)\s+`(.*)`/

/** Full names of the structs of a package. */
export function structsOf(name: string, source: string): string[] {
  return [...source.matchAll(/^type (\w+) struct \{/gm)].map(([, type]) => `${name}.${type}`)
}

/** One line per struct of the package; `structs` are those of all packages. */
export function packageOf(name: string, source: string, structs: ReadonlySet<string>): string[] {
  const named = new Map<string, string>()
  for (const [, type = '', definition = ''] of source.matchAll(/^type (\w+) (\S+)$/gm)) named.set(type, definition)
  const lines: string[] = []
  for (const [, type = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields = body.split('\n').flatMap((line) => fieldOf(line, { home: name, named, structs }) ?? [])
    if (fields.length > 0) lines.push([`${name}.${type}`, ...fields].join('|'))
  }
  return lines
}

interface Scope {
  readonly home: string
  /** Types of the package that are no structs, with their underlying types. */
  readonly named: ReadonlyMap<string, string>
  readonly structs: ReadonlySet<string>
}

function fieldOf(line: string, scope: Scope): string | undefined {
  const match = fieldLine.exec(line)
  if (match === null) return undefined
  const [, , goType = '', tags = ''] = match
  const json = /json:"([^"]*)"/.exec(tags)?.[1]?.split(',') ?? []
  const number = /protobuf:"\w+,(\d+),/.exec(tags)?.[1]
  if (number === undefined) return undefined
  const isPointer = goType.startsWith('*')
  const flags = isPointer ? '*' : json.includes('omitempty') || json.includes('omitzero') ? '?' : ''
  return `${number} ${json[0] || '-'} ${typeOf(goType.replace(/^\*/, ''), scope)}${flags && ` ${flags}`}`
}

function typeOf(goType: string, scope: Scope): string {
  const known = special[goType]
  if (known !== undefined) return known
  if (goType.startsWith('[]')) return `[]${typeOf(goType.slice(2).replace(/^\*/, ''), scope)}`
  const map = /^map\[[^\]]+\](.+)$/.exec(goType)
  if (map !== null) return `{}${typeOf(map[1] ?? '', scope)}`
  const definition = scope.named.get(goType)
  // A named list is a message on the wire; other named types are encoded as their underlying type.
  if (definition?.startsWith('[]')) return `list:${typeOf(definition.slice(2), scope)}`
  if (definition !== undefined && definition !== 'struct') return typeOf(definition, scope)
  const [alias, name] = goType.includes('.') ? goType.split('.') : [undefined, goType]
  const home = alias === undefined ? scope.home : (packageAliases[alias] ?? alias)
  if (home === 'core/v1' && name === 'ResourceList') return '{}quantity'
  // A type that is no struct in any package is a string.
  return scope.structs.has(`${home}.${name}`) ? `${home}.${name}` : 'string'
}

const packageAliases: Readonly<Record<string, string>> = { metav1: 'meta/v1', v1: 'core/v1', corev1: 'core/v1' }
