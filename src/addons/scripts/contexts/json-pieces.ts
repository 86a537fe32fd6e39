/** JSON assembled from existing strings and bytes, so that a context with many objects is not serialised again. */
import { concat, type Files } from '../../../runtime/index.ts'

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

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : decoder.decode(piece))).join('')
}

/** Blocks of about 1 MiB; a larger piece is its own block. */
function* blocks(pieces: readonly Piece[]): Iterable<Uint8Array> {
  let held: Uint8Array[] = []
  let size = 0
  for (const piece of pieces) {
    const bytes = typeof piece === 'string' ? encoder.encode(piece) : piece
    held.push(bytes)
    size += bytes.length
    if (size < maxWriteBytes) continue
    yield concat(held)
    held = []
    size = 0
  }
  if (size > 0) yield concat(held)
}
