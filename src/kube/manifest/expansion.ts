/**
 * The size of a document whose aliases are expanded. A few lines of anchors and aliases describe a document of billions of values, and one
 * that contains itself has no end; as objects in memory both are small until something walks through them or prints them.
 */
import type { Json } from '../../runtime/index.ts'

/** API servers accept objects of 3 MiB, which have fewer values. */
const maxValues = 1_000_000

/** Why the document must not be used; undefined when it may. */
export function expansionProblem(document: unknown): string | undefined {
  const sizes = new Map<object, number | 'under way'>()
  const sizeOf = (value: Json): number => {
    if (value === null || typeof value !== 'object') return 1
    const known = sizes.get(value)
    if (known === 'under way') return Number.POSITIVE_INFINITY
    if (known !== undefined) return known
    sizes.set(value, 'under way')
    let size = 1
    for (const below of Object.values(value) as readonly Json[]) size += sizeOf(below)
    sizes.set(value, size)
    return size
  }
  const size = sizeOf(document as Json)
  if (size === Number.POSITIVE_INFINITY) return 'an alias refers to a value that contains it'
  return size > maxValues ? `its aliases expand it to more than ${maxValues} values` : undefined
}
