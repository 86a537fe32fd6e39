/**
 * Walks a value along its schema: types, structure and combinators. Errors are added to the findings; nothing is thrown for an invalid
 * value, and the whole value is visited.
 */
import { append, isJsonObject, type Json, type JsonObject } from '../runtime/index.ts'
import { checkDepth } from './depth.ts'
import { Findings } from './findings.ts'
import { nodeOf, type SchemaNode, types } from './node.ts'
import { checkEnum, checkNumber, checkString, hasDuplicates } from './scalars.ts'
import type { Schema } from './schema.ts'
import { isInt64 } from './text.ts'

export interface WalkOptions {
  /** Unlisted members are errors where the schema does not set additionalProperties. */
  readonly closed: boolean
  /** `x-required-for-helm` applies like `required`. */
  readonly helm: boolean
}

export function visit(node: SchemaNode, value: Json, found: Findings, options: WalkOptions): void {
  found.visited += 1
  if (value === null) {
    if (node.types !== 0 && !node.nullable) found.addType(node.typeName, 'null')
    if (node.schema.enum !== undefined) checkEnum(node, value, found)
    return
  }
  if (typeof value === 'string') {
    // With a format, the API server derives the type from it.
    if (node.types !== 0 && (node.types & types.string) === 0) found.addType(node.typeName, 'string')
    if (node.hasCombinators) visitCombinators(node.schema, value, found, options)
    if (node.hasStringRules) checkString(node, value, found)
  } else if (typeof value === 'number') {
    checkNumericType(node, value, found)
    if (node.hasCombinators) visitCombinators(node.schema, value, found, options)
    if (node.hasNumberRules) checkNumber(node, value, found)
  } else if (typeof value === 'boolean') {
    if (node.types !== 0 && (node.types & types.boolean) === 0)
      found.addType(node.format ?? node.typeName, node.format === undefined ? 'boolean' : '')
    if (node.hasCombinators) visitCombinators(node.schema, value, found, options)
  } else {
    checkDepth(found.depth)
    if (isJsonObject(value)) visitObject(node, value, found, options)
    else visitArray(node, value, found, options)
  }
  if (node.schema.enum !== undefined) checkEnum(node, value, found)
  if (!found.nested && node.schema['x-kubernetes-validations'] !== undefined) {
    found.rules.push({ node, value, path: found.path })
  }
}

function checkNumericType(node: SchemaNode, value: number, found: Findings): void {
  // An integer beyond 64 bits has the type number in the API server.
  const integer = isInt64(value)
  if (node.types === 0 || (node.types & (integer ? types.integer : types.number)) !== 0) return
  if (node.format !== undefined) found.addType(node.format, integer ? 'int64' : 'float64')
  else found.addType(node.typeName, integer ? 'integer' : 'number')
}

function visitArray(node: SchemaNode, value: readonly Json[], found: Findings, options: WalkOptions): void {
  const { schema } = node
  const formatted = node.format !== undefined && (node.types & (types.integer | types.number)) === 0
  if (node.types !== 0 && (node.types & types.array) === 0 && !formatted) found.addType(node.typeName, 'array')
  if (node.hasCombinators) visitCombinators(schema, value, found, options)
  const { items } = node
  if (items !== undefined) {
    const at = found.depth
    found.depth = at + 1
    for (let index = 0; index < value.length; index += 1) {
      found.segments[at] = index
      visit(items, value[index] as Json, found, options)
    }
    found.depth = at
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    found.add('minItems', `should have at least ${schema.minItems} items`, value.length)
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    found.addTooMany('maxItems', value.length, schema.maxItems)
  }
  if (schema.uniqueItems === true && hasDuplicates(value)) found.add('uniqueItems', "shouldn't contain duplicates", '')
  const listType = schema['x-kubernetes-list-type']
  if (!found.nested && (listType === 'set' || listType === 'map')) {
    found.lists.push({ node, value, path: found.path })
  }
}

function visitObject(node: SchemaNode, value: JsonObject, found: Findings, options: WalkOptions): void {
  const { schema, properties } = node
  if (node.types !== 0 && (node.types & types.object) === 0) {
    found.addType(node.format ?? node.typeName, node.format === undefined ? 'object' : '')
  }
  if (node.hasCombinators) visitCombinators(schema, value, found, options)
  if (schema.minProperties !== undefined || schema.maxProperties !== undefined) checkCount(schema, value, found)
  const at = found.depth
  for (const key in value) {
    const property = properties.get(key)
    if (property === undefined) {
      visitUnlisted(node, key, value[key] as Json, found, options)
    } else {
      found.segments[at] = key
      found.depth = at + 1
      visit(property, value[key] as Json, found, options)
      found.depth = at
    }
  }
  if (node.required !== undefined) {
    for (const key of node.required) if (!Object.hasOwn(value, key)) found.addRequired(key)
  }
  if (options.helm) {
    for (const key of schema['x-required-for-helm'] ?? []) if (!Object.hasOwn(value, key)) found.addRequired(key)
  }
  if (node.embedded && !found.nested) found.embedded.push({ node, value, path: found.path })
}

/** A member that is not a property: it may match a pattern, belong to the additional properties, or be forbidden. */
function visitUnlisted(node: SchemaNode, key: string, value: Json, found: Findings, options: WalkOptions): void {
  const { additional } = node
  let matched = false
  found.segments[found.depth] = key
  found.depth += 1
  if (node.schema.patternProperties !== undefined) {
    for (const [pattern, child] of node.patternProperties) {
      if (!pattern.test(key)) continue
      matched = true
      visit(child, value, found, options)
    }
  }
  if (!matched && typeof additional === 'object') visit(additional, value, found, options)
  found.depth -= 1
  if (matched || typeof additional === 'object' || additional === true) return
  if (additional === false || (options.closed && !found.nested && !node.preserves)) found.addForbidden(key)
}

function checkCount(schema: Schema, value: JsonObject, found: Findings): void {
  const count = Object.keys(value).length
  if (schema.minProperties !== undefined && count < schema.minProperties) {
    found.add('minProperties', `should have at least ${schema.minProperties} properties`, count)
  }
  if (schema.maxProperties !== undefined && count > schema.maxProperties) {
    found.addTooMany('maxProperties', count, schema.maxProperties)
  }
}

function attempt(schema: Schema, value: Json, found: Findings, options: WalkOptions): Findings {
  const trial = new Findings(found.base, found.path, true)
  visit(nodeOf(schema), value, trial, options)
  return trial
}

function visitCombinators(schema: Schema, value: Json, found: Findings, options: WalkOptions): void {
  const where = JSON.stringify(found.name)
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) {
    let best: Findings | undefined
    for (const option of schema.anyOf) {
      const trial = attempt(option, value, found, options)
      if (trial.errors.length === 0) {
        best = undefined
        break
      }
      if (best === undefined || trial.visited > best.visited) best = trial
    }
    if (best !== undefined) {
      found.addGeneral('anyOf', `${where} must validate at least one schema (anyOf)`)
      append(found.errors, best.errors)
    }
  }
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
    let best: Findings | undefined
    let valid = 0
    for (const option of schema.oneOf) {
      const trial = attempt(option, value, found, options)
      if (trial.errors.length === 0) valid += 1
      else if (best === undefined || trial.visited > best.visited) best = trial
    }
    if (valid !== 1) {
      const which = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
      found.addGeneral('oneOf', `${where} must validate one and only one schema (oneOf). ${which}`)
      if (valid === 0 && best !== undefined) append(found.errors, best.errors)
    }
  }
  if (schema.allOf !== undefined && schema.allOf.length > 0) {
    let valid = 0
    for (const part of schema.allOf) {
      const trial = attempt(part, value, found, options)
      if (trial.errors.length === 0) valid += 1
      append(found.errors, trial.errors)
    }
    if (valid !== schema.allOf.length) {
      found.addGeneral(
        'allOf',
        `${where} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`,
      )
    }
  }
  if (schema.not !== undefined && attempt(schema.not, value, found, options).errors.length === 0) {
    found.addGeneral('not', `${where} must not validate the schema (not)`)
  }
  if (schema.dependencies !== undefined && isJsonObject(value)) {
    for (const [key, needs] of Object.entries(schema.dependencies)) {
      if (!Object.hasOwn(value, key)) continue
      if (isList(needs)) {
        for (const other of needs) {
          if (!Object.hasOwn(value, other)) found.addGeneral('dependencies', `${where} has a dependency on ${other}`)
        }
      } else {
        append(found.errors, attempt(needs, value, found, options).errors)
      }
    }
  }
}

function isList(needs: Schema | readonly string[]): needs is readonly string[] {
  return Array.isArray(needs)
}
