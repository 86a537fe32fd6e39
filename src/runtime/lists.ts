/**
 * What `push(...items)` and `Math.max(...numbers)` do, for lists of any length: V8 takes about 120,000 arguments, above that such a call fails with
 * "Maximum call stack size exceeded".
 */

/** Adds all items to the list, in order. */
export function append<Item>(list: Item[], ...batches: readonly Iterable<NoInfer<Item>>[]): void {
  for (const items of batches) for (const item of items) list.push(item)
}

/** -Infinity when there is none. */
export function largest(numbers: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY
  for (const number of numbers) found = Math.max(found, number)
  return found
}

/** Infinity when there is none. */
export function smallest(numbers: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY
  for (const number of numbers) found = Math.min(found, number)
  return found
}
