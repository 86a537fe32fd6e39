/** The wire format of protocol buffers, written: only fields that have a length, which texts and messages are. */
import { concat } from '../../../runtime/bytes.ts'

const encoder = new TextEncoder()

export function field(number: number, content: string | Uint8Array): Uint8Array {
  const bytes = typeof content === 'string' ? encoder.encode(content) : content
  return message(Uint8Array.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes)
}

/** A message is its fields, one after the other. */
export function message(...fields: readonly Uint8Array[]): Uint8Array {
  return concat(fields)
}

function* varint(value: number): Generator<number> {
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) yield (rest & 0x7f) | 0x80
  yield rest
}
