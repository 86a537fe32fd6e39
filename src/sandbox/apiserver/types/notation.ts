/**
 * The one-line notation of a field in the type model, and its reader. A line is a type followed by words:
 *
 *   string  integer/int32  quantity  int-or-string  object  any     scalars and free content
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
  | { readonly is: 'object' }
  | { readonly is: 'any' }

export interface Field {
  readonly type: TypeReference
  readonly listType?: 'map' | 'set' | 'atomic'
  readonly mapKeys?: readonly string[]
  readonly patchStrategy?: string
  readonly mergeKey?: string
  readonly enum?: readonly string[]
  readonly default?: string
  /** A field of the real server's Go type that is written out even when it is empty. */
  readonly always: boolean
}

const scalarTypes = new Set(['string', 'integer', 'number', 'boolean', 'quantity', 'int-or-string'])

export function readType(text: string): TypeReference {
  if (text.startsWith('[]')) return { is: 'list', of: readType(text.slice(2)) }
  if (text.startsWith('{}')) return { is: 'map', of: readType(text.slice(2)) }
  if (text === 'object' || text === 'any') return { is: text }
  const [type = '', format = ''] = text.split('/')
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
