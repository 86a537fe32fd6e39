/**
 * The order of a merged list: elements the patch names follow the patch, the others follow the document, and the two are
 * interleaved by the document's order as far as both sides allow.
 */
import { isJsonObject, type Json } from '../../runtime/json.ts'
import { member } from '../members.ts'

/** What tells two elements of a list apart: the merge key's value, or the scalar itself. */
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
  result.push(...others.slice(next))
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

/** Kubernetes' comparison calls an element of unknown position smaller than any other, so each of them moves to the front. */
function sorted(elements: readonly Json[], order: Map<Json | undefined, number>, identity: Identity): Json[] {
  const known: { readonly element: Json; readonly position: number }[] = []
  const unknown: Json[] = []
  for (const element of elements) {
    const position = order.get(identity(element))
    if (position === undefined) unknown.unshift(element)
    else known.push({ element, position })
  }
  known.sort((a, b) => a.position - b.position)
  return [...unknown, ...known.map(({ element }) => element)]
}
