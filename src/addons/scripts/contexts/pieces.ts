/**
 * JSON put together from texts and bytes that exist already, so that a context of many objects costs a copy and no serialisation.
 */
import { concat } from '../../../runtime/bytes.ts'
import type { Files } from '../../../runtime/files.ts'

export type Piece = string | Uint8Array

/** Bytes that are written in one go. */
const largestWrite = 1 << 20

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The text, or, where that would be large, what writes it to a file. */
export function contextOf(pieces: readonly Piece[], files: Files): string | ((path: string) => Promise<void>) {
  let size = 0
  for (const piece of pieces) size += piece.length
  if (size <= largestWrite) return textOf(pieces)
  return async (path) => {
    await files.write(path, '')
    for (const block of blocks(pieces)) await files.append(path, block)
  }
}

/** As one text, however long it becomes. */
export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : decoder.decode(piece))).join('')
}

/** In portions of about a mebibyte; a larger piece goes by itself. */
function* blocks(pieces: readonly Piece[]): Iterable<Uint8Array> {
  let held: Uint8Array[] = []
  let size = 0
  for (const piece of pieces) {
    const bytes = typeof piece === 'string' ? encoder.encode(piece) : piece
    held.push(bytes)
    size += bytes.length
    if (size < largestWrite) continue
    yield concat(held)
    held = []
    size = 0
  }
  if (size > 0) yield concat(held)
}
