/**
 * Decodes a list while it arrives, object by object, and keeps of each only what the caller makes of it: neither the text of a page nor its
 * objects are ever in memory at once, and no page is so large that others have to wait. Works on the compact form that API servers write;
 * anything else is decoded in one go at the end.
 */
import { concat } from '../../runtime/bytes.ts'
import type { KubeObject, ListMeta } from '../object.ts'
import { decode } from './answer.ts'
import { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote } from './json-bytes.ts'
import { inList, inObject, positionInside } from './strip.ts'

export interface Decoded<V> {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ListMeta
  readonly items: V[]
}

export interface DecoderOptions<T extends KubeObject, V> {
  /** Whose answer it is, for errors. */
  readonly from: { readonly method: string; readonly target: string }
  readonly omitManagedFields: boolean
  readonly keep: (object: T) => V
  /** Lets other work have its turn. */
  readonly breathe: () => Promise<void>
}

/** Bytes decoded before others get their turn: a few milliseconds. */
const breathEvery = 256 * 1024

/** Where the items are not found within so much, the list is not of the known form. */
const longestHead = 64 * 1024

const key = new TextEncoder().encode('"items":[')

export class ListDecoder<T extends KubeObject, V> {
  readonly #options: DecoderOptions<T, V>
  readonly #items: V[] = []
  #state: 'head' | 'items' | 'tail' = 'head'
  /** What stands around the items; until they are found, everything. */
  #frame: Uint8Array[] = []
  #frameLength = 0
  /** What has arrived of the object under way. */
  #pieces: Uint8Array[] = []
  #depth = 0
  #inString = false
  #escaped = false
  #sinceBreath = 0

  constructor(options: DecoderOptions<T, V>) {
    this.#options = options
  }

  async take(chunk: Uint8Array): Promise<void> {
    if (this.#state !== 'items') {
      this.#addToFrame(chunk)
      if (this.#state === 'tail' || this.#frameLength > longestHead + chunk.length) return
      const head = concat(this.#frame)
      const start = positionInside(head, key)
      if (start === -1) return
      this.#state = 'items'
      this.#frame = [head.subarray(0, start)]
      return this.#takeItems(head.subarray(start))
    }
    return this.#takeItems(chunk)
  }

  /** The list; rejects what is no JSON, or not all of it. */
  end(): Decoded<V> {
    const { from, omitManagedFields, keep } = this.#options
    if (this.#state !== 'head') {
      const frame = decode<Decoded<never>>(concat([...this.#frame, ...this.#pieces]), from)
      return { ...frame, items: this.#items }
    }
    const whole = decode<Decoded<T>>(concat(this.#frame), from, omitManagedFields ? inList : undefined)
    // Servers write null for an empty list of some types.
    return { ...whole, items: (whole.items ?? []).map(keep) }
  }

  #addToFrame(bytes: Uint8Array): void {
    this.#frame.push(bytes)
    this.#frameLength += bytes.length
  }

  async #takeItems(chunk: Uint8Array): Promise<void> {
    let start = 0
    for (let end = this.#endOfItem(chunk, 0); end !== -1; end = this.#endOfItem(chunk, start)) {
      const last = chunk.subarray(start, end)
      const bytes = this.#pieces.length === 0 ? last : concat([...this.#pieces, last])
      this.#pieces = []
      start = end
      this.#decodeItem(bytes)
      if (this.#sinceBreath < breathEvery) continue
      this.#sinceBreath = 0
      await this.#options.breathe()
    }
    if (start === chunk.length) return
    if (this.#state === 'tail') this.#addToFrame(chunk.subarray(start))
    else this.#pieces.push(chunk.subarray(start))
  }

  #decodeItem(bytes: Uint8Array): void {
    const { from, omitManagedFields, keep } = this.#options
    this.#sinceBreath += bytes.length
    const text = bytes[0] === comma ? bytes.subarray(1) : bytes
    this.#items.push(keep(decode<T>(text, from, omitManagedFields ? inObject : undefined)))
  }

  /** The position after the object under way; -1 when it goes on in the next chunk, or when there are no more objects. */
  #endOfItem(chunk: Uint8Array, start: number): number {
    // Fields are looked up for every byte, variables are not.
    let depth = this.#depth
    let inString = this.#inString
    let end = -1
    let at = start
    if (this.#escaped && at < chunk.length) {
      this.#escaped = false
      at++
    }
    for (; at < chunk.length && end === -1; at++) {
      const byte = chunk[at]
      if (inString) {
        if (byte === quote) inString = false
        else if (byte === backslash && ++at === chunk.length) this.#escaped = true
      } else if (byte === quote) inString = true
      else if (byte === openBrace || byte === openBracket) depth++
      else if (byte === closeBrace) {
        if (--depth === 0) end = at + 1
      } else if (byte === closeBracket && depth-- === 0) {
        this.#state = 'tail'
        break
      }
    }
    this.#depth = depth
    this.#inString = inString
    return end
  }
}
