/**
 * One element of a field path, written as in `fieldsV1`: `f:name`, `k:{"name":"web"}`, `v:"value"`, `i:0`. The text
 * identifies the element, so sets of fields can be plain maps.
 */
import type { Json } from '../../../runtime/index.ts'

export type Element = string

export function fieldElement(name: string): Element {
  return `f:${name}`
}

export function valueElement(value: Json): Element {
  return `v:${JSON.stringify(value)}`
}

/** Keys are sorted by name, so that equal keys produce equal text. */
export function keyElement(keys: Readonly<Record<string, Json>>): Element {
  const sorted = Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : 1))
  return `k:${JSON.stringify(Object.fromEntries(sorted))}`
}

export function isField(element: Element): boolean {
  return element.startsWith('f:')
}

/** The form used in conflict messages: `.spec`, `[name="web"]`, `[="value"]`. */
export function elementText(element: Element): string {
  const rest = element.slice(2)
  if (element.startsWith('f:')) return `.${rest}`
  if (element.startsWith('v:')) return `[=${rest}]`
  if (element.startsWith('i:')) return `[${rest}]`
  const keys = JSON.parse(rest) as Record<string, Json>
  return `[${Object.entries(keys)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')}]`
}

const order = 'fkvi'

export function compareElements(a: Element, b: Element): number {
  const kind = order.indexOf(a.charAt(0)) - order.indexOf(b.charAt(0))
  if (kind !== 0) return kind
  if (a.startsWith('f:')) return compareText(a, b)
  if (!a.startsWith('k:')) return compareScalars(JSON.parse(a.slice(2)) as Json, JSON.parse(b.slice(2)) as Json)
  const left = Object.entries(JSON.parse(a.slice(2)) as Record<string, Json>)
  const right = Object.entries(JSON.parse(b.slice(2)) as Record<string, Json>)
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [leftName, leftValue] = left[index] ?? ['', null]
    const [rightName, rightValue] = right[index] ?? ['', null]
    const difference = compareText(leftName, rightName) || compareScalars(leftValue, rightValue)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareScalars(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return compareText(String(a), String(b))
}
