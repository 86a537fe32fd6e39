/**
 * Adds the named fields of a type that lie above the members of a set: owning `.spec.replicas` then includes `.spec`, while keys of
 * free maps are left as they are. Pruning needs both levels to tell an empty parent from one that others still fill.
 */
import { type Element, isField } from './element.ts'
import type { FieldSet } from './field-set.ts'
import type { Structure } from './structure.ts'

const nothing: Structure = { scalar: undefined, list: undefined, map: undefined }

export function withNamedFields(set: FieldSet, structure: Structure): FieldSet {
  const { map, list } = structure
  const below = (element: Element): Structure => {
    if (isField(element)) return map?.field(element.slice(2)) ?? map?.element?.() ?? nothing
    return element.startsWith('k:') ? (list?.element() ?? nothing) : nothing
  }
  return set.withNamed(
    (element) => isField(element) && map?.field(element.slice(2)) !== undefined,
    (element) => (inner) => withNamedFields(inner, below(element)),
  )
}
