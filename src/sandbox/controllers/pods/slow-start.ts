/** Creates many pods in batches of 1, 2, 4 … (slow start), so that a failure that affects all pods stops early. */
export interface BatchResult {
  readonly done: number
  /** The first failure of the last batch. */
  readonly failure: unknown
}

export async function slowStartBatches(count: number, work: (index: number) => Promise<void>): Promise<BatchResult> {
  let done = 0
  for (let size = Math.min(1, count), next = 0; size > 0; size = Math.min(2 * size, count - next)) {
    const results = await Promise.allSettled(Array.from({ length: size }, (_, offset) => work(next + offset)))
    next += size
    const failed = results.filter((result) => result.status === 'rejected')
    done += size - failed.length
    if (failed[0] !== undefined) return { done, failure: failed[0].reason }
  }
  return { done, failure: undefined }
}
