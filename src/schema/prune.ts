/**
 * Pruning: removes and reports members that are not in the schema, for storage and for strict field validation. Parts without unknown
 * members stay the same objects.
 */
import { isJsonObject, type Json, type JsonObject } from '../runtime/index.ts'
import { checkDepth } from './depth.ts'
import { nodeOf, type SchemaNode } from './node.ts'
import { openApiPath, type PathSegment } from './paths.ts'
import type { Schema } from './schema.ts'

export interface PruneOptions {
  /**
   * The value is a whole object: `apiVersion`, `kind` and `metadata` are known even when not listed.
   * @default false
   */
  readonly root?: boolean
}

export interface Pruned {
  readonly value: Json
  /** Paths of unknown members, sorted. */
  readonly unknown: readonly string[]
}

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

export function prune(value: Json, schema: Schema, options: PruneOptions = {}): Pruned {
  const walk = new Walk()
  const pruned = walk.prune(value, nodeOf(schema), options.root === true)
  return { value: pruned, unknown: walk.unknown.sort() }
}

class Walk {
  readonly unknown: string[] = []
  readonly #path: PathSegment[] = []

  prune(
    value: Json,
    node: SchemaNode | undefined,
    resource = node?.embedded === true,
    preserve = node?.preserves === true,
  ): Json {
    checkDepth(this.#path.length)
    if (isJsonObject(value)) return this.#object(value, node, resource, preserve)
    if (!Array.isArray(value)) return value
    const items = node?.items
    // On a list, x-kubernetes-preserve-unknown-fields applies to its elements, but not below them.
    return this.#list(value, (element) => this.prune(element, items, items?.embedded, preserve || items?.preserves))
  }

  #object(value: JsonObject, node: SchemaNode | undefined, resource: boolean, preserve: boolean): JsonObject {
    let result: { [key: string]: Json } | undefined
    const change = (): { [key: string]: Json } => {
      result ??= { ...value }
      return result
    }
    for (const key of Object.keys(value)) {
      if (resource && metaFields.has(key)) continue
      const old = value[key]
      if (old === undefined) continue
      const property = node?.properties.get(key)
      const additional = node?.additional
      if (property === undefined && (additional === undefined || additional === false)) {
        if (preserve) continue
        this.unknown.push(openApiPath([...this.#path, key]))
        delete change()[key]
        continue
      }
      // `additionalProperties: true` allows any member, but members of these values are still unknown.
      if (property === undefined && additional === true && typeof old !== 'object') continue
      this.#path.push(key)
      const next = this.prune(old, property ?? (typeof additional === 'object' ? additional : undefined))
      this.#path.pop()
      if (next !== old) {
        Object.defineProperty(change(), key, { value: next, writable: true, enumerable: true, configurable: true })
      }
    }
    return result ?? value
  }

  #list(value: readonly Json[], pruned: (element: Json) => Json): readonly Json[] {
    let result: Json[] | undefined
    for (const [index, old] of value.entries()) {
      this.#path.push(index)
      const next = pruned(old)
      this.#path.pop()
      if (next === old) continue
      result ??= value.slice()
      result[index] = next
    }
    return result ?? value
  }
}
