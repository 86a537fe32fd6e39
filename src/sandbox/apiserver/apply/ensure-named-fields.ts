/**
 * Adds the declared fields above the members of a set: owning `.spec.replicas` then includes `.spec`, but keys of
 * free-form maps are not added. Pruning needs this to distinguish an empty parent from one with fields of other
 * managers.
 */
import { type Element, isField } from './element.ts'
import type { FieldSet } from './field-set.ts'
import type { Structure } from './structure.ts'

const nothing: Structure = { scalar: undefined, list: undefined, map: undefined }

export function ensureNamedFieldsAreMembers(set: FieldSet, structure: Structure): FieldSet {
  const { map, list } = structure
  const below = (element: Element): Structure => {
    if (isField(element)) return map?.field(element.slice(2)) ?? map?.element?.() ?? nothing
    return element.startsWith('k:') ? (list?.element() ?? nothing) : nothing
  }
  return set.withNamed(
    (element) => isField(element) && map?.field(element.slice(2)) !== undefined,
    (element) => (inner) => ensureNamedFieldsAreMembers(inner, below(element)),
  )
}
