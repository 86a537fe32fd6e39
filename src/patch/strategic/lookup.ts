/**
 * What strategic merge must know about a type: for each field, how its value merges. The engine walks a lookup beside the
 * document; a table, a published schema or anything else can stand behind it.
 */

export interface MergeField {
  /** How the value combines with the patch. Without it objects merge and lists are replaced. */
  readonly strategy?: 'merge' | 'replace'
  /** For lists of objects with strategy `merge`: the member that tells the elements apart. */
  readonly mergeKey?: string
  /** The fields inside the value, or inside each element when it is a list. */
  readonly fields: MergeLookup
}

export interface MergeLookup {
  /** What is known of a field; undefined when the type has no such field, which is an error where it matters. */
  field(name: string): MergeField | undefined
}

/** Nothing is known: objects merge, lists are replaced, at every depth. */
export const anyFields: MergeLookup = {
  field: () => ({ fields: anyFields }),
}

/** Fields by dotted path; a path goes through a list as if it were its element. */
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
