/** Runs `work` for every item with at most `limit` at the same time; the results are in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (thing: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Array<R>(items.length)
  const queue = items.entries()
  const worker = async () => {
    for (const [index, thing] of queue) results[index] = await work(thing)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}
