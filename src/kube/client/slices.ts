/**
 * Decodes a long list piece by piece and lets other work have its turn in between: parsing a page of 500 large objects at once keeps the
 * whole process waiting. Works on the compact form that API servers write; anything else is decoded in one go.
 */
import type { KubeList, KubeObject } from '../object.ts'
import { concat } from '../transport/bytes.ts'
import { decode } from './answer.ts'
import { endOfValue, type Place, positionInside } from './strip.ts'

/** Bytes decoded before others get their turn: a few milliseconds. */
const sliceSize = 256 * 1024

/** In a slice, which is an array of objects. */
const inSlice: Place = { depth: 3, single: false }

const key = new TextEncoder().encode('"items":[')
const open = new TextEncoder().encode('[')
const close = new TextEncoder().encode(']')
const comma = 44
const openBrace = 123

export async function decodeList<T extends KubeObject>(
  bytes: Uint8Array,
  from: { readonly method: string; readonly target: string },
  whole: Place | undefined,
  breathe: () => Promise<void>,
): Promise<KubeList<T>> {
  const start = bytes.length > sliceSize ? positionInside(bytes, key) : -1
  if (start === -1) return decode<KubeList<T>>(bytes, from, whole)
  const items: T[] = []
  let sliceStart = start
  let at = start
  while (bytes[at] === openBrace) {
    at = endOfValue(bytes, at)
    const more = bytes[at] === comma
    if (!more || at - sliceStart >= sliceSize) {
      const slice = concat([open, bytes.subarray(sliceStart, at), close])
      for (const item of decode<T[]>(slice, from, whole && inSlice)) items.push(item)
      sliceStart = at + 1
      await breathe()
    }
    if (more) at++
  }
  const frame = decode<KubeList<T>>(concat([bytes.subarray(0, start), bytes.subarray(at)]), from)
  return { ...frame, items }
}
