/** Works on many things at once, but not on all of them: results in the order of the things. */
export async function inParallel<T, R>(
  things: readonly T[],
  limit: number,
  work: (thing: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Array<R>(things.length)
  const queue = things.entries()
  const worker = async () => {
    for (const [index, thing] of queue) results[index] = await work(thing)
  }
  await Promise.all(Array.from({ length: Math.min(limit, things.length) }, worker))
  return results
}
