/** JSON assembled from existing strings and bytes, so that a context with many objects is not serialised again. */
import type { Files } from '../../../runtime/index.ts'

export type Piece = string | Uint8Array

/** The size of one write. */
const maxWriteBytes = 1 << 20

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The text; for a large context a function that writes it to a file. */
export function contextOf(pieces: readonly Piece[], files: Files): string | ((path: string) => Promise<void>) {
  let size = 0
  for (const piece of pieces) size += piece.length
  if (size <= maxWriteBytes) return textOf(pieces)
  return async (path) => {
    await files.write(path, '')
    for (const block of blocks(pieces)) await files.append(path, block)
  }
}

export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : decoder.decode(piece))).join('')
}

/** Blocks of up to 1 MiB; larger pieces are blocks of their own. */
function* blocks(pieces: readonly Piece[]): Iterable<Uint8Array> {
  let block = new Uint8Array(maxWriteBytes)
  let used = 0
  for (const piece of pieces) {
    // A character of a string takes up to three bytes.
    const most = typeof piece === 'string' ? piece.length * 3 : piece.length
    if (used > 0 && most > maxWriteBytes - used) {
      yield block.subarray(0, used)
      block = new Uint8Array(maxWriteBytes)
      used = 0
    }
    if (most > maxWriteBytes) yield typeof piece === 'string' ? encoder.encode(piece) : piece
    else if (typeof piece === 'string') used += encoder.encodeInto(piece, block.subarray(used)).written
    else {
      block.set(piece, used)
      used += piece.length
    }
  }
  if (used > 0) yield block.subarray(0, used)
}
