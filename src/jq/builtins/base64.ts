/** Base64 and base32 of bytes, in plain code: browsers and Node.js differ, and the errors must be those of jq. */
import { runtimeError } from '../error.ts'
import { describe } from '../values/describe.ts'

const alphabet64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const alphabet32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function encodeBase64(bytes: Uint8Array): string {
  return encode(bytes, alphabet64, 6, 4)
}

export function encodeBase32(bytes: Uint8Array): string {
  return encode(bytes, alphabet32, 5, 8)
}

export function decodeBase64(text: string): Uint8Array {
  const body = text.replace(/=+$/, '')
  const bytes = decode(body, alphabet64, 6)
  if (bytes === undefined) throw runtimeError(`${describe(text)} is not valid base64 data`)
  if (body.length % 4 === 1) throw runtimeError(`${describe(text)} trailing base64 byte found`)
  return bytes
}

export function decodeBase32(text: string): Uint8Array {
  const bytes = decode(text.replace(/=+$/, ''), alphabet32, 5)
  if (bytes === undefined) throw runtimeError(`${describe(text)} is not valid base32 data`)
  return bytes
}

function encode(bytes: Uint8Array, alphabet: string, width: number, group: number): string {
  let out = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff
    bits += 8
    while (bits >= width) {
      bits -= width
      out += alphabet.charAt((buffer >> bits) & ((1 << width) - 1))
    }
  }
  if (bits > 0) out += alphabet.charAt((buffer << (width - bits)) & ((1 << width) - 1))
  return out.padEnd(Math.ceil(out.length / group) * group, '=')
}

function decode(text: string, alphabet: string, width: number): Uint8Array | undefined {
  const bytes: number[] = []
  let buffer = 0
  let bits = 0
  for (const character of text) {
    const value = alphabet.indexOf(character)
    if (value < 0) return undefined
    buffer = ((buffer << width) | value) & 0xffff
    bits += width
    if (bits >= 8) {
      bits -= 8
      bytes.push((buffer >> bits) & 0xff)
    }
  }
  return Uint8Array.from(bytes)
}
