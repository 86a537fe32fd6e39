/** Writes DER (ITU-T X.690): only the types that certificates use. Every function returns one complete element. */
import { append } from '../lists.ts'

export type Der = Uint8Array

function element(tag: number, ...content: Uint8Array[]): Der {
  const body = Buffer.concat(content)
  return new Uint8Array(Buffer.concat([Uint8Array.of(tag), lengthOf(body.byteLength), body]))
}

function lengthOf(size: number): Uint8Array {
  if (size < 0x80) return Uint8Array.of(size)
  const digits: number[] = []
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256)
  return Uint8Array.of(0x80 | digits.length, ...digits)
}

export const sequence = (...items: Der[]): Der => element(0x30, ...items)

/** DER requires the members of a set to be sorted by their bytes. */
export const set = (...items: Der[]): Der => element(0x31, ...items.sort((left, right) => Buffer.compare(left, right)))

export const boolean = (value: boolean): Der => element(0x01, Uint8Array.of(value ? 0xff : 0))

/** A non-negative integer from its bytes, the most significant first. */
export function integer(bytes: Uint8Array): Der {
  const start = bytes.findIndex((byte) => byte !== 0)
  const digits = start === -1 ? Uint8Array.of(0) : bytes.subarray(start)
  const negative = (digits[0] ?? 0) >= 0x80
  return element(0x02, ...(negative ? [Uint8Array.of(0), digits] : [digits]))
}

export const bitString = (bytes: Uint8Array, unusedBits = 0): Der => element(0x03, Uint8Array.of(unusedBits), bytes)

export const octetString = (bytes: Uint8Array): Der => element(0x04, bytes)

export const utf8 = (text: string): Der => element(0x0c, Buffer.from(text))

export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const arc of rest) {
    const groups = [arc & 0x7f]
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift(0x80 | (left & 0x7f))
    append(bytes, groups)
  }
  return element(0x06, Uint8Array.from(bytes))
}

/** In seconds; RFC 5280 requires two-digit years until 2049. */
export function time(instant: number): Der {
  const digits = `${new Date(instant).toISOString().replace(/\D/g, '').slice(0, 14)}Z`
  return digits < '2050' ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits))
}

/** A context-specific tag around whole elements. */
export const tagged = (number: number, ...items: Der[]): Der => element(0xa0 | number, ...items)

/** A context-specific tag in place of the tag of a primitive type. */
export const implicit = (number: number, bytes: Uint8Array): Der => element(0x80 | number, bytes)
