/**
 * Sets the defaults of an object: walks its type, applies the rule of every definition, parents before children, and
 * then the defaults of the published schema. Types without defaults are skipped.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
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

/** The defaults of one definition: its rule, the fields with defaults below them, and the defaults of its schema. */
interface Plan {
  readonly rule: DefaultRule | undefined
  readonly below: readonly (readonly [string, TypeReference])[]
  readonly declared: JsonObject | undefined
}

export class Defaulter {
  readonly #model: TypeModel
  readonly #withDefaults = new Map<string, boolean>()
  readonly #plans = new Map<string, Plan>()

  constructor(model: TypeModel) {
    this.#model = model
  }

  defaulted(object: JsonObject, definition: Definition): JsonObject {
    if (!this.#hasDefaults(definition.name)) return object
    const { rule, below, declared } = this.#planOf(definition)
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
    return declared === undefined ? (result ?? ruled) : filled(result ?? ruled, declared)
  }

  #planOf(definition: Definition): Plan {
    let plan = this.#plans.get(definition.name)
    if (plan === undefined) {
      const fields = [...definition.fields]
      const declared = fields.flatMap(([name, { default: text, type }]): [string, Json][] => {
        if (text === undefined) return []
        const isNumber = type.is === 'scalar' && type.type === 'integer'
        return [[name, isNumber ? Number(text) : text]]
      })
      plan = {
        rule: rules[definition.name],
        below: fields.filter(([, { type }]) => this.#refersToDefaults(type)).map(([name, { type }]) => [name, type]),
        declared: declared.length === 0 ? undefined : Object.fromEntries(declared),
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

  #refersToDefaults(type: TypeReference): boolean {
    if (type.is === 'definition') return this.#hasDefaults(type.name)
    return type.is === 'list' || type.is === 'map' ? this.#refersToDefaults(type.of) : false
  }

  /** Whether the definition, or one it refers to, has defaults. */
  #hasDefaults(name: string): boolean {
    const known = this.#withDefaults.get(name)
    if (known !== undefined) return known
    // A recursive reference adds no defaults.
    this.#withDefaults.set(name, false)
    const { fields } = this.#model.definition(name)
    let found = name in rules
    for (const field of fields.values()) {
      found ||= field.default !== undefined
      found = this.#refersToDefaults(field.type) || found
    }
    this.#withDefaults.set(name, found)
    return found
  }
}
