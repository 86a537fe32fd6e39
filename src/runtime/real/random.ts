/** Cryptographic randomness: names and tokens made from it cannot be guessed. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Random } from '../random.ts'

export function createRealRandom(): Random {
  return {
    // 48 bits can be read in one call and are enough for jitter.
    next: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
    bytes: (length) => new Uint8Array(randomBytes(length)),
    uuid: () => randomUUID(),
  }
}
