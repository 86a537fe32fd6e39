/**
 * The type model: definitions and resources of the built-in kinds, parsed from the generated text on first use.
 * Schemas, decoding, OpenAPI and discovery are derived from it.
 */
import { kindsText } from './kinds.generated.ts'
import { type Field, readField } from './notation.ts'

/** name, type, format, priority */
export type ColumnFacts = readonly [string, string, string, number]

export interface ResourceFacts {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  /** Separated by spaces. */
  readonly verbs: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /** Kind (`group/version/Kind` if in another group version) and verbs of each subresource. */
  readonly subresources?: Readonly<Record<string, readonly [string, string]>>
  readonly columns?: readonly ColumnFacts[]
}

interface KindsFile {
  readonly version: string
  readonly resources: readonly ResourceFacts[]
  readonly kinds: Readonly<Record<string, string>>
  readonly definitions: Readonly<Record<string, DefinitionText>>
}

interface DefinitionText {
  readonly type?: string
  readonly required?: readonly string[]
  readonly atomic?: boolean
  readonly unions?: readonly unknown[]
  readonly fields?: Readonly<Record<string, string>>
}

export interface Definition {
  readonly name: string
  readonly required: readonly string[]
  readonly atomic: boolean
  readonly unions: readonly unknown[] | undefined
  readonly fields: ReadonlyMap<string, Field>
}

export class TypeModel {
  readonly #file: KindsFile
  readonly #definitions = new Map<string, Definition>()

  constructor(text: string) {
    this.#file = JSON.parse(text) as KindsFile
  }

  get resources(): readonly ResourceFacts[] {
    return this.#file.resources
  }

  /** Definition names of all kinds, keyed by `group/version/Kind`. */
  get kinds(): Readonly<Record<string, string>> {
    return this.#file.kinds
  }

  kindDefinition(group: string, version: string, kind: string): Definition | undefined {
    const name = this.#file.kinds[`${group}/${version}/${kind}`]
    return name === undefined ? undefined : this.definition(name)
  }

  definition(name: string): Definition {
    const known = this.#definitions.get(name)
    if (known !== undefined) return known
    const text = this.#file.definitions[name]
    if (text === undefined) throw new Error(`the type model has no definition ${name}`)
    const definition: Definition = {
      name,
      required: text.required ?? [],
      atomic: text.atomic ?? false,
      unions: text.unions,
      fields: new Map(Object.entries(text.fields ?? {}).map(([field, line]) => [field, readField(line)])),
    }
    this.#definitions.set(name, definition)
    return definition
  }
}

let shared: TypeModel | undefined

/** The shared model; parsed once. */
export function typeModel(): TypeModel {
  shared ??= new TypeModel(kindsText)
  return shared
}
