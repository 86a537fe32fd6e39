/** Concatenates byte arrays; a single array is returned without a copy. */
export function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  let length = 0
  for (const chunk of chunks) length += chunk.length
  const joined = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.length
  }
  return joined
}
