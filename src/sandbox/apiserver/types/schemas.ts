/**
 * Schema nodes of built-in kinds, created from the type model when accessed: a kind can refer to hundreds of
 * definitions, some of them recursive.
 */
import type { Json } from '../../../runtime/index.ts'
import type { Schema } from '../../../schema/index.ts'
import type { Definition, TypeModel } from './model.ts'
import type { Field, TypeReference } from './notation.ts'

type Node = { -readonly [K in keyof Schema]: Schema[K] }

export class KindSchemas {
  readonly #model: TypeModel
  readonly #properties = new Map<string, Readonly<Record<string, Schema>>>()

  constructor(model: TypeModel) {
    this.#model = model
  }

  ofKind(group: string, version: string, kind: string): Schema | undefined {
    const definition = this.#model.kindDefinition(group, version, kind)
    if (definition === undefined) return undefined
    const node: Node = this.#ofDefinition(definition)
    node['x-kubernetes-group-version-kind'] = [{ group, version, kind }]
    return node
  }

  #ofDefinition(definition: Definition): Node {
    const node: Node = { type: 'object' }
    if (definition.required.length > 0) node.required = definition.required
    if (definition.atomic) node['x-kubernetes-map-type'] = 'atomic'
    if (definition.unions !== undefined) node['x-kubernetes-unions'] = definition.unions as readonly Json[]
    Object.defineProperty(node, 'properties', { enumerable: true, get: () => this.#propertiesOf(definition) })
    return node
  }

  #propertiesOf(definition: Definition): Readonly<Record<string, Schema>> {
    const known = this.#properties.get(definition.name)
    if (known !== undefined) return known
    const made: Record<string, Schema> = {}
    for (const [name, field] of definition.fields) made[name] = this.#ofField(field)
    this.#properties.set(definition.name, made)
    return made
  }

  #ofField(field: Field): Schema {
    const node = this.#ofType(field.type)
    if (field.listType !== undefined) {
      if (node.type === 'array') node['x-kubernetes-list-type'] = field.listType
      else if (field.listType === 'atomic') node['x-kubernetes-map-type'] = 'atomic'
    }
    if (field.mapKeys !== undefined) node['x-kubernetes-list-map-keys'] = field.mapKeys
    if (field.patchStrategy !== undefined) node['x-kubernetes-patch-strategy'] = field.patchStrategy
    if (field.mergeKey !== undefined) node['x-kubernetes-patch-merge-key'] = field.mergeKey
    if (field.enum !== undefined && node.type !== 'array') node.enum = field.enum
    if (field.default !== undefined) node.default = node.type === 'integer' ? Number(field.default) : field.default
    return node
  }

  #ofType(type: TypeReference): Node {
    switch (type.is) {
      case 'definition':
        return this.#ofDefinition(this.#model.definition(type.name))
      case 'list':
        return { type: 'array', items: this.#ofType(type.of) }
      case 'map':
        return { type: 'object', additionalProperties: this.#ofType(type.of) }
      case 'object':
        return {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          // Opaque content is owned as a whole.
          ...(type.name === '' ? { 'x-kubernetes-map-type': 'atomic' as const } : {}),
        }
      case 'any':
        return { 'x-kubernetes-preserve-unknown-fields': true }
      case 'scalar':
        return scalar(type.type, type.format)
    }
  }
}

function scalar(type: string, format: string): Node {
  if (type === 'int-or-string') return { format: 'int-or-string', 'x-kubernetes-int-or-string': true }
  if (type === 'quantity') return { format: 'quantity', oneOf: [{ type: 'string' }, { type: 'number' }] }
  return format === '' ? { type } : { type, format: format === 'date-time-micro' ? 'date-time' : format }
}
