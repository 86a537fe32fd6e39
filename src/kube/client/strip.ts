/**
 * Removes `metadata.managedFields` from JSON before it is decoded. It is half of a typical object, no controller here reads it, and skipping
 * bytes costs a tenth of decoding them. Works on the compact form that API servers write; any other form is left unchanged.
 */
import { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote } from './json-bytes.ts'

const key = new TextEncoder().encode('"managedFields":[')
const parent = new TextEncoder().encode('"metadata":')

/** Where the metadata is: how many brackets are open inside it, and whether there is only one. */
export interface Place {
  readonly depth: number
  readonly single: boolean
}

export const inObject: Place = { depth: 2, single: true }
export const inEvent: Place = { depth: 3, single: true }
export const inList: Place = { depth: 4, single: false }

/**
 * The pieces to keep, in order, cut between characters. A field of the same name elsewhere, for example in an embedded object, is kept.
 */
export function withoutManagedFields(json: Uint8Array, place: Place): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let kept = 0
  let depth = 0
  let inMetadata = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) {
      if (!inMetadata || depth !== place.depth || !isAt(json, key, at)) {
        at = endOfString(json, at)
        continue
      }
      const end = endOfValue(json, at + key.length - 1)
      const [from, to] = withComma(json, at, end)
      pieces.push(json.subarray(kept, from))
      kept = to
      at = end - 1
      if (place.single) break
    } else if (byte === openBrace || byte === openBracket) {
      depth++
      if (depth === place.depth) inMetadata = isAt(json, parent, at - parent.length)
    } else if (byte === closeBrace || byte === closeBracket) {
      if (inMetadata && depth === place.depth && place.single) break
      depth--
    }
  }
  pieces.push(json.subarray(kept))
  return pieces
}

function isAt(json: Uint8Array, word: Uint8Array, start: number): boolean {
  if (start < 0) return false
  for (let at = 0; at < word.length; at++) if (json[start + at] !== word[at]) return false
  return true
}

/** The position after `word` as a key of the outermost object; -1 when there is none. */
export function positionInside(json: Uint8Array, word: Uint8Array): number {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) {
      if (depth === 1 && isAt(json, word, at)) return at + word.length
      at = endOfString(json, at)
    } else if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) depth--
  }
  return -1
}

/** The position after the bracket that closes the one at `start`. */
export function endOfValue(json: Uint8Array, start: number): number {
  let depth = 0
  for (let at = start; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) at = endOfString(json, at)
    else if (byte === openBrace || byte === openBracket) depth++
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1
  }
  return json.length
}

/** The position of the quote that ends the string which starts at `start`. */
function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === quote) return at
    if (json[at] === backslash) at++
  }
  return json.length
}

function withComma(json: Uint8Array, start: number, end: number): [number, number] {
  if (json[start - 1] === comma) return [start - 1, end]
  return [start, json[end] === comma ? end + 1 : end]
}
