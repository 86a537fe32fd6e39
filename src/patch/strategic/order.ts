/**
 * The order of a merged list: elements in the patch follow the order of the patch, all others that of the document, and both are
 * interleaved by the order of the document where possible.
 */
import { append, isJsonObject, type Json } from '../../runtime/index.ts'
import { member } from '../members.ts'

/** The identity of a list element: the value of the merge key, or the scalar itself. */
export type Identity = (element: Json) => Json | undefined

export function identityBy(mergeKey: string | undefined): Identity {
  if (mergeKey === undefined) return (element) => element
  return (element) => (isJsonObject(element) ? member(element, mergeKey) : undefined)
}

/** Splits the merged elements by whether `partitionBy` names them. */
export function partition(
  merged: readonly Json[],
  partitionBy: readonly Json[],
  identity: Identity,
): { readonly named: Json[]; readonly others: Json[] } {
  const names = new Set(partitionBy.map(identity))
  const named: Json[] = []
  const others: Json[] = []
  for (const element of merged) (names.has(identity(element)) ? named : others).push(element)
  return { named, others }
}

export function ordered(
  parts: { readonly named: readonly Json[]; readonly others: readonly Json[] },
  patchOrder: readonly Json[],
  documentOrder: readonly Json[],
  identity: Identity,
): Json[] {
  const inDocument = positions(documentOrder, identity)
  const named = sorted(parts.named, positions(patchOrder, identity), identity)
  const others = sorted(parts.others, inDocument, identity)
  const result: Json[] = []
  let next = 0
  for (const element of named) {
    const position = inDocument.get(identity(element))
    while (next < others.length && position !== undefined) {
      const candidate = others[next]
      const before = candidate === undefined ? undefined : inDocument.get(identity(candidate))
      if (candidate === undefined || before === undefined || before >= position) break
      result.push(candidate)
      next += 1
    }
    result.push(element)
  }
  append(result, others.slice(next))
  return result
}

function positions(order: readonly Json[], identity: Identity): Map<Json | undefined, number> {
  const found = new Map<Json | undefined, number>()
  for (const [index, element] of order.entries()) {
    const key = identity(element)
    if (!found.has(key)) found.set(key, index)
  }
  return found
}

/** Longer lists with elements of unknown position keep their order, because insertion sort would take too long. */
const maxUnknownPositions = 1000

function sorted(elements: readonly Json[], order: Map<Json | undefined, number>, identity: Identity): Json[] {
  const entries = elements.map((element) => ({ element, position: order.get(identity(element)) }))
  if (entries.every(({ position }) => position !== undefined)) {
    entries.sort((a, b) => (a.position ?? 0) - (b.position ?? 0))
  } else if (entries.length <= maxUnknownPositions) {
    // The comparison of the API server returns "smaller" for every unknown position. That is not an order, so the result depends
    // on its sorting algorithm: insertion sort from the left.
    for (let end = 1; end < entries.length; end += 1) {
      for (let at = end; at > 0; at -= 1) {
        const [left, right] = [entries[at - 1], entries[at]]
        if (left === undefined || right === undefined) break
        if (left.position !== undefined && right.position !== undefined && right.position >= left.position) break
        entries[at - 1] = right
        entries[at] = left
      }
    }
  }
  return entries.map(({ element }) => element)
}
