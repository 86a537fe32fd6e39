/**
 * Fills in the defaults of a whole object: walks its type, applies the rule of every definition it meets, parents before children,
 * and the defaults the published schema states. Parts of a type that have no defaults below them are not walked.
 */
import type { Json, JsonObject } from '../../../runtime/json.ts'
import { isJsonObject } from '../../../runtime/json.ts'
import type { Definition, TypeModel } from '../types/model.ts'
import type { TypeReference } from '../types/notation.ts'
import { coreDefaults } from './core.ts'
import { type DefaultRule, filled } from './fill.ts'
import { otherDefaults } from './others.ts'
import { podDefaults } from './pods.ts'
import { workloadDefaults } from './workloads.ts'

const rules: Readonly<Record<string, DefaultRule>> = {
  ...podDefaults,
  ...coreDefaults,
  ...workloadDefaults,
  ...otherDefaults,
}

/** What there is to do for a definition: its rule, fields with something to do below them, and stated defaults. */
interface Plan {
  readonly rule: DefaultRule | undefined
  readonly below: readonly (readonly [string, TypeReference])[]
  readonly stated: JsonObject | undefined
}

export class Defaulter {
  readonly #model: TypeModel
  readonly #concerned = new Map<string, boolean>()
  readonly #plans = new Map<string, Plan>()

  constructor(model: TypeModel) {
    this.#model = model
  }

  defaulted(object: JsonObject, definition: Definition): JsonObject {
    if (!this.#isConcerned(definition.name)) return object
    const { rule, below, stated } = this.#planOf(definition)
    const ruled = rule?.(object) ?? object
    let result: Record<string, Json> | undefined
    for (const [name, type] of below) {
      const value = ruled[name]
      if (value === undefined || value === null) continue
      const inner = this.#value(value, type)
      if (inner === value) continue
      result ??= { ...ruled }
      result[name] = inner
    }
    return stated === undefined ? (result ?? ruled) : filled(result ?? ruled, stated)
  }

  #planOf(definition: Definition): Plan {
    let plan = this.#plans.get(definition.name)
    if (plan === undefined) {
      const fields = [...definition.fields]
      const stated = fields.flatMap(([name, { default: text, type }]): [string, Json][] => {
        if (text === undefined) return []
        const isNumber = type.is === 'scalar' && type.type === 'integer'
        return [[name, isNumber ? Number(text) : text]]
      })
      plan = {
        rule: rules[definition.name],
        below: fields.filter(([, { type }]) => this.#mentionsConcerned(type)).map(([name, { type }]) => [name, type]),
        stated: stated.length === 0 ? undefined : Object.fromEntries(stated),
      }
      this.#plans.set(definition.name, plan)
    }
    return plan
  }

  #value(value: Json, type: TypeReference): Json {
    switch (type.is) {
      case 'definition':
        return isJsonObject(value) ? this.defaulted(value, this.#model.definition(type.name)) : value
      case 'list': {
        if (!Array.isArray(value)) return value
        const items = value as readonly Json[]
        const inner = items.map((item) => this.#value(item, type.of))
        return inner.some((item, index) => item !== items[index]) ? inner : value
      }
      case 'map': {
        if (!isJsonObject(value)) return value
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#value(item, type.of)]))
      }
      default:
        return value
    }
  }

  #mentionsConcerned(type: TypeReference): boolean {
    if (type.is === 'definition') return this.#isConcerned(type.name)
    return type.is === 'list' || type.is === 'map' ? this.#mentionsConcerned(type.of) : false
  }

  /** Whether the definition, or one it mentions, has defaults. */
  #isConcerned(name: string): boolean {
    const known = this.#concerned.get(name)
    if (known !== undefined) return known
    // A definition that mentions itself adds nothing by that.
    this.#concerned.set(name, false)
    const { fields } = this.#model.definition(name)
    let concerned = name in rules
    for (const field of fields.values()) {
      concerned ||= field.default !== undefined
      concerned = this.#mentionsConcerned(field.type) || concerned
    }
    this.#concerned.set(name, concerned)
    return concerned
  }
}
