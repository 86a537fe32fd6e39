/**
 * Random numbers from a seed: the sfc32 generator, started from a number and a name. Each consumer has its own stream, so that an additional
 * draw in one place does not change the others. Not for secrets.
 */
import type { Random } from '../random.ts'

export function createSeededRandom(seed: number, name: string): Random {
  const draw = sfc32(seed, hash(name))
  const bytes = (length: number): Uint8Array => new Uint8Array(length).map(() => draw() & 0xff)
  return { next: () => draw() / 2 ** 32, bytes, uuid: () => uuidOf(bytes(16)) }
}

/** Numbers from 0 up to 2^32, exclusive. */
function sfc32(seed: number, stream: number): () => number {
  let a = seed | 0
  let b = Math.floor(seed / 2 ** 32) | 0
  let c = stream | 0
  let counter = 1
  const draw = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
  // The first draws of neighbouring seeds are similar; these rounds remove the similarity.
  for (let round = 0; round < 15; round++) draw()
  return draw
}

/** The byte positions of the dashes in a UUID. */
const dashes = new Set([4, 6, 8, 10])

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value
}

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function uuidOf(bytes: Uint8Array): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  let text = ''
  for (const [index, byte] of bytes.entries()) text += (dashes.has(index) ? '-' : '') + digits[byte]
  return text
}
