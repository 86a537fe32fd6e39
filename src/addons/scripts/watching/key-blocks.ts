/**
 * Keys of objects in order, in blocks of a few hundred. A block is replaced when one of its objects changes, so that what was made of the
 * others, such as their part of a snapshot, stays valid.
 */

export interface KeyBlock {
  readonly keys: readonly string[]
}

/** A fuller block is split. */
const maxKeys = 256

export class KeyBlocks implements Iterable<KeyBlock> {
  readonly #blocks: { readonly keys: string[] }[] = []

  /** The object is new, or has changed. */
  touch(key: string): void {
    const at = this.#blockOf(key)
    const keys = this.#blocks[at]?.keys ?? []
    const place = placeIn(keys, key)
    if (keys[place] !== key) keys.splice(place, 0, key)
    // A block that grew at its end is left full: lists arrive in order.
    const half = place === keys.length - 1 ? maxKeys : maxKeys / 2
    this.#blocks[at] = { keys }
    if (keys.length > maxKeys) this.#blocks.splice(at + 1, 0, { keys: keys.splice(half) })
  }

  remove(key: string): void {
    const at = this.#blockOf(key)
    const keys = this.#blocks[at]?.keys ?? []
    const place = placeIn(keys, key)
    if (keys[place] !== key) return
    keys.splice(place, 1)
    if (keys.length === 0) this.#blocks.splice(at, 1)
    else this.#blocks[at] = { keys }
  }

  [Symbol.iterator](): Iterator<KeyBlock> {
    return this.#blocks[Symbol.iterator]()
  }

  /** The last block that begins with the key or one before it, or the first block. */
  #blockOf(key: string): number {
    let [low, high] = [0, this.#blocks.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (isBefore(key, this.#blocks[middle]?.keys[0] ?? '')) high = middle
      else low = middle
    }
    return low
  }
}

/** The index of the key, or the one at which it belongs. */
function placeIn(keys: readonly string[], key: string): number {
  const last = keys.at(-1)
  if (last === undefined || isBefore(last, key)) return keys.length
  let [low, high] = [0, keys.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(keys[middle] ?? '', key)) low = middle + 1
    else high = middle
  }
  return low
}

/** By namespace, then by name: the slash between them comes before every other character. */
function isBefore(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)]
    if (a !== b) return b !== slash && (a === slash || a < b)
  }
  return one.length < other.length
}

const slash = 0x2f
