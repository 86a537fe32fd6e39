/**
 * Splits a stream of bytes at newlines. Works on bytes, so a chunk may end in the middle of a character, and a line of many chunks is
 * concatenated only once.
 */
import { concat } from '../../runtime/index.ts'

const newline = 10

/** The whole lines of the stream; `rest` of an unfinished last line is passed to `unfinished` when the stream ends. */
export async function* lines(
  body: AsyncIterable<Uint8Array>,
  unfinished: (rest: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array[] = []
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const tail = chunk.subarray(start, end)
      start = end + 1
      if (held.length === 0) {
        yield tail
        continue
      }
      held.push(tail)
      const line = concat(held)
      held = []
      yield line
    }
    if (start < chunk.length) held.push(start === 0 ? chunk : chunk.subarray(start))
  }
  if (held.length > 0) unfinished(concat(held))
}
