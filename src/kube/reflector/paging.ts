/**
 * How many objects to ask for per page. Parsing a page blocks the process, and objects differ a thousandfold in size, so the number
 * follows from what the objects so far weighed.
 */

/** Characters of JSON per page: some 20 ms of parsing, well under the 100 ms that nothing may exceed. */
const targetWeight = 2_000_000

/** The first page, when nothing is known of the objects' size. */
const firstPage = 50

/** How many objects of a page are weighed: weighing costs as much as parsing. */
const samples = 3

export function firstPageSize(largest: number): number {
  return Math.min(largest, firstPage)
}

/** The size of the next page after one with these items; the heaviest sample counts. */
export function nextPageSize(items: readonly unknown[], largest: number, current: number): number {
  let heaviest = 0
  for (let sample = 0; sample < samples; sample++) {
    const item = items[Math.floor((sample * items.length) / samples)]
    if (item !== undefined) heaviest = Math.max(heaviest, JSON.stringify(item).length)
  }
  if (heaviest === 0) return current
  return Math.max(1, Math.min(largest, Math.floor(targetWeight / heaviest)))
}
