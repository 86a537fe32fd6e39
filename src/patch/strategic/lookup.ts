/**
 * What strategic merge needs to know about a type: how the value of each field merges. A lookup can be backed by a table or by
 * a published schema.
 */

export interface MergeField {
  /** How the value is combined with the patch. @default objects merge, lists are replaced */
  readonly strategy?: 'merge' | 'replace'
  /** For lists of objects with strategy `merge`: the member that identifies an element. */
  readonly mergeKey?: string
  /** The fields of the value, or of each element when it is a list. */
  readonly fields: MergeLookup
}

export interface MergeLookup {
  /** The merge rules of a field; undefined when the type has no such field, which is an error if rules are needed. */
  field(name: string): MergeField | undefined
}

/** Without any rules: objects merge and lists are replaced at every depth. */
export const anyFields: MergeLookup = {
  field: () => ({ fields: anyFields }),
}

/** Fields by dotted path; the path of a list element has no index. */
export type MergeTable = Readonly<
  Record<string, { readonly strategy?: 'merge' | 'replace'; readonly mergeKey?: string }>
>

/**
 * A lookup from a table; fields the table does not list are allowed and have no strategy.
 * @example mergeTable({ 'spec.containers': { strategy: 'merge', mergeKey: 'name' } })
 */
export function mergeTable(table: MergeTable): MergeLookup {
  const under = (prefix: string): MergeLookup => ({
    field(name) {
      const path = prefix === '' ? name : `${prefix}.${name}`
      const entry = Object.hasOwn(table, path) ? table[path] : undefined
      return { ...entry, fields: under(path) }
    },
  })
  return under('')
}
