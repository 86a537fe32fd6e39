/**
 * Splits a stream of bytes at newlines. Works on bytes, so a chunk may end in the middle of a character, and a line of many chunks is
 * concatenated only once.
 */
import { CarabinerError, concat } from '../../runtime/index.ts'

const newline = 10
/** An event has one object, and API servers accept objects of up to 3 MiB. */
const maxLineBytes = 32 * 1024 * 1024

/** The whole lines of the stream; `rest` of an unfinished last line is passed to `unfinished` when the stream ends. */
export async function* lines(
  body: AsyncIterable<Uint8Array>,
  unfinished: (rest: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array[] = []
  let heldBytes = 0
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
      heldBytes = 0
      yield line
    }
    if (start === chunk.length) continue
    held.push(start === 0 ? chunk : chunk.subarray(start))
    heldBytes += chunk.length - start
    if (heldBytes > maxLineBytes)
      throw new CarabinerError(
        'CRB_API_ANSWER_TOO_LARGE',
        `a line of the response is larger than ${maxLineBytes / 1024 ** 2} MiB.`,
      )
  }
  if (held.length > 0) unfinished(concat(held))
}
