/** Name acceptance of definitions: names are unique within a group, and a later definition waits until they are free. */
import type { Names } from './definition.ts'

export interface Acceptance {
  readonly accepted: Names
  /** Reason and message of the condition; undefined when every name was granted. */
  readonly conflict: { readonly reason: string; readonly message: string } | undefined
}

const none: Names = { plural: '', singular: '', kind: '', listKind: '', shortNames: [], categories: [] }

/** @param others names already granted to other definitions of the group */
export function acceptNames(wanted: Names, granted: Names | undefined, others: readonly Names[]): Acceptance {
  const resources = new Set(others.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]))
  const kinds = new Set(others.flatMap(({ kind, listKind }) => [kind, listKind]))
  let accepted: Names = granted ?? none
  let conflict: Acceptance['conflict']
  const refuse = (reason: string, name: string): void => {
    conflict = { reason, message: `${JSON.stringify(name)} is already in use` }
  }
  if (resources.has(wanted.plural)) refuse('PluralConflict', wanted.plural)
  else accepted = { ...accepted, plural: wanted.plural }
  if (resources.has(wanted.singular)) refuse('SingularConflict', wanted.singular)
  else accepted = { ...accepted, singular: wanted.singular }
  const taken = wanted.shortNames.filter((name) => resources.has(name))
  if (taken.length > 0) refuse('ShortNamesConflict', taken.join(', '))
  else accepted = { ...accepted, shortNames: wanted.shortNames }
  if (kinds.has(wanted.kind)) refuse('KindConflict', wanted.kind)
  else accepted = { ...accepted, kind: wanted.kind }
  if (kinds.has(wanted.listKind)) refuse('ListKindConflict', wanted.listKind)
  else accepted = { ...accepted, listKind: wanted.listKind }
  return { accepted: { ...accepted, categories: wanted.categories }, conflict }
}
