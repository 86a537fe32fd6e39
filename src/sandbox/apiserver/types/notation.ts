/**
 * The one-line notation of a field in the type model, and its reader. A line is a type followed by words:
 *
 *   string  integer/int32  quantity  int-or-string                  scalars with their formats
 *   object  any  any/apiextensions.v1.JSON                          free content, with the name it is published under
 *   core.v1.EnvVar   []T   {}T                                      a definition, a list, a map with string keys
 *   map=a,b  set  atomic                                            list type with its keys, or an atomic map
 *   patch=merge,retainKeys  key=name                                strategic merge
 *   enum=A|B  default=TCP  always                                   values; `always` means written even when zero
 */
export type TypeReference =
  | { readonly is: 'scalar'; readonly type: string; readonly format: string }
  | { readonly is: 'definition'; readonly name: string }
  | { readonly is: 'list'; readonly of: TypeReference }
  | { readonly is: 'map'; readonly of: TypeReference }
  /** Content of any shape; `name` is empty for an arbitrary object. */
  | { readonly is: 'object' | 'any'; readonly name: string }

export interface Field {
  readonly type: TypeReference
  readonly listType?: 'map' | 'set' | 'atomic'
  readonly mapKeys?: readonly string[]
  readonly patchStrategy?: string
  readonly mergeKey?: string
  readonly enum?: readonly string[]
  readonly default?: string
  /** A field that the Go type of the real API server serializes even when it is empty. */
  readonly always: boolean
}

const scalarTypes = new Set(['string', 'integer', 'number', 'boolean', 'quantity', 'int-or-string'])

export function readType(text: string): TypeReference {
  if (text.startsWith('[]')) return { is: 'list', of: readType(text.slice(2)) }
  if (text.startsWith('{}')) return { is: 'map', of: readType(text.slice(2)) }
  const [type = '', format = ''] = text.split('/')
  if (type === 'object' || type === 'any') return { is: type, name: format }
  return scalarTypes.has(type) ? { is: 'scalar', type, format } : { is: 'definition', name: text }
}

export function readField(line: string): Field {
  const [type = 'any', ...words] = line.split(' ')
  const field: { -readonly [K in keyof Field]: Field[K] } = { type: readType(type), always: false }
  for (const word of words) {
    const [name, value = ''] = word.split('=')
    if (name === 'map') {
      field.listType = 'map'
      field.mapKeys = value.split(',')
    } else if (name === 'set' || name === 'atomic') field.listType = name
    else if (name === 'patch') field.patchStrategy = value
    else if (name === 'key') field.mergeKey = value
    else if (name === 'enum') field.enum = value.split('|')
    else if (name === 'default') field.default = value
    else if (name === 'always') field.always = true
  }
  return field
}
