/**
 * Decodes a list object by object while it arrives and keeps only what the caller makes of each: a whole page is never in memory, neither as
 * text nor as objects, and decoding yields to other work. Works on the compact form that API servers write; any other form is decoded at once
 * at the end.
 */
import { concat } from '../../runtime/index.ts'
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
  /** The request, for error messages. */
  readonly from: { readonly method: string; readonly target: string }
  readonly omitManagedFields: boolean
  readonly keep: (object: T) => V
  /** Yields to other work. */
  readonly yieldToOthers: () => Promise<void>
}

/** Decoding this many bytes takes a few milliseconds. */
const bytesBetweenYields = 256 * 1024

/** A list whose items do not begin within this is not in the compact form. */
const maxHeadBytes = 64 * 1024

const key = new TextEncoder().encode('"items":[')

export class ListDecoder<T extends KubeObject, V> {
  readonly #options: DecoderOptions<T, V>
  readonly #items: V[] = []
  #state: 'head' | 'items' | 'tail' = 'head'
  /** The bytes around the items; all bytes until the items are found. */
  #frame: Uint8Array[] = []
  #frameLength = 0
  /** The bytes of the object that is still arriving. */
  #pieces: Uint8Array[] = []
  #depth = 0
  #inString = false
  #escaped = false
  #bytesSinceYield = 0

  constructor(options: DecoderOptions<T, V>) {
    this.#options = options
  }

  async take(chunk: Uint8Array): Promise<void> {
    if (this.#state !== 'items') {
      this.#addToFrame(chunk)
      if (this.#state === 'tail' || this.#frameLength > maxHeadBytes + chunk.length) return
      const head = concat(this.#frame)
      const start = positionInside(head, key)
      if (start === -1) return
      this.#state = 'items'
      this.#frame = [head.subarray(0, start)]
      return this.#takeItems(head.subarray(start))
    }
    return this.#takeItems(chunk)
  }

  /** Returns the list; throws when it is not JSON or not complete. */
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
      if (this.#bytesSinceYield < bytesBetweenYields) continue
      this.#bytesSinceYield = 0
      await this.#options.yieldToOthers()
    }
    if (start === chunk.length) return
    if (this.#state === 'tail') this.#addToFrame(chunk.subarray(start))
    else this.#pieces.push(chunk.subarray(start))
  }

  #decodeItem(bytes: Uint8Array): void {
    const { from, omitManagedFields, keep } = this.#options
    this.#bytesSinceYield += bytes.length
    const text = bytes[0] === comma ? bytes.subarray(1) : bytes
    this.#items.push(keep(decode<T>(text, from, omitManagedFields ? inObject : undefined)))
  }

  /** The position after the current object; -1 when it continues in the next chunk or there are no more objects. */
  #endOfItem(chunk: Uint8Array, start: number): number {
    // Local variables, because this loop runs once per byte.
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
