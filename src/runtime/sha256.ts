/**
 * SHA-256 and HMAC in plain TypeScript, for names and short tokens. WebCrypto is asynchronous on another thread, which virtual time cannot
 * wait for, and `node:crypto` is not available in a browser.
 */
import { concat } from './bytes.ts'

const constants =
  /* the first 32 bits of the fractional parts of the cube roots of the first 64 primes */ Int32Array.from(
    primes(64).map((prime) => Math.floor((Math.cbrt(prime) % 1) * 2 ** 32)),
  )
const start = primes(8).map((prime) => Math.floor((Math.sqrt(prime) % 1) * 2 ** 32))

function primes(count: number): readonly number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  }
  return found
}

export function sha256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor((message.length * 8) / 2 ** 32))
  view.setUint32(padded.length - 4, (message.length * 8) >>> 0)
  const state = Int32Array.from(start)
  const words = new Int32Array(64)
  for (let offset = 0; offset < padded.length; offset += 64) block(state, words, view, offset)
  const digest = new Uint8Array(32)
  const output = new DataView(digest.buffer)
  for (const [index, word] of state.entries()) output.setInt32(index * 4, word)
  return digest
}

/** Allocates nothing per round: whole manifests and kubeconfigs are hashed here. */
function block(state: Int32Array, words: Int32Array, view: DataView, offset: number): void {
  for (let index = 0; index < 16; index++) words[index] = view.getInt32(offset + index * 4)
  for (let index = 16; index < 64; index++) {
    const early = at(words, index - 15)
    const late = at(words, index - 2)
    const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    words[index] = (at(words, index - 16) + first + at(words, index - 7) + second) | 0
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let index = 0; index < 64; index++) {
    const choice = (e & f) ^ (~e & g)
    const mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const first = (h + mixed + choice + at(constants, index) + at(words, index)) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = at(state, index) + value
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0
}

function rotate(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits))
}

/** The hash of a text in lower-case hexadecimal. */
export function sha256Hex(text: string): string {
  return [...sha256(new TextEncoder().encode(text))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(64)
  padded.set(key.length > 64 ? sha256(key) : key)
  const inner = sha256(concat([padded.map((byte) => byte ^ 0x36), message]))
  return sha256(concat([padded.map((byte) => byte ^ 0x5c), inner]))
}
