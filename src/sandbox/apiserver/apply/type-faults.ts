/**
 * Checks an applied configuration against its type: unknown fields, wrong types and list items with duplicate keys are
 * refused because their ownership cannot be tracked.
 */
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import { elementText, fieldElement } from './element.ts'
import { fieldStructure, fitting, itemElement, type Structure } from './structure.ts'

/** Messages such as `.spec.foo: field not declared in schema`. */
export function typeFaults(value: Json, structure: Structure, path = ''): string[] {
  const { map, scalar, list } = fitting(structure, value)
  const fault = (text: string): string[] => [path === '' ? text : `${path}: ${text}`]
  if (value === null) return []
  if (map !== undefined) {
    if (!isJsonObject(value)) return fault(`expected map, got ${shown(value)}`)
    return Object.entries(value).flatMap(([name, content]) => {
      const inner = `${path}${elementText(fieldElement(name))}`
      if (map.field(name) === undefined && map.element === undefined) return [`${inner}: field not declared in schema`]
      return typeFaults(content, fieldStructure(map, name), inner)
    })
  }
  if (scalar !== undefined) return scalarFits(scalar, value) ? [] : fault(scalarFault(scalar, value))
  if (list === undefined) return fault('schema error: invalid atom')
  if (!Array.isArray(value)) return fault(`expected list, got ${shown(value)}`)
  const seen = new Set<string>()
  return (value as readonly Json[]).flatMap((item, position) => {
    if (list.atomic) return typeFaults(item, list.element(), `${path}[${position}]`)
    let element: string
    try {
      element = itemElement(list, item)
    } catch (error) {
      return fault(`element ${position}: ${error instanceof Error ? error.message : String(error)}`)
    }
    if (seen.has(element)) return fault(`duplicate entries for key ${elementText(element)}`)
    seen.add(element)
    return typeFaults(item, list.element(), `${path}${elementText(element)}`)
  })
}

function scalarFits(scalar: string, value: Json): boolean {
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number'
    case 'string':
      return typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    default:
      return typeof value !== 'object'
  }
}

function scalarFault(scalar: string, value: Json): string {
  if (scalar === 'numeric') return `expected numeric (int or float), got ${goType(value)}`
  return `expected ${scalar === 'untyped' ? 'any scalar' : scalar}, got ${shown(value)}`
}

function goType(value: Json): string {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
}

/** The way Go formats a value of the structured-merge-diff library. */
function shown(value: Json): string {
  return `&value.valueUnstructured{Value:${JSON.stringify(value)}}`
}
