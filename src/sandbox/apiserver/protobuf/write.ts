/** Writes the protobuf wire format: length-delimited fields only, which strings and messages are. */
import { concat } from '../../../runtime/index.ts'

const encoder = new TextEncoder()

export function field(number: number, content: string | Uint8Array): Uint8Array {
  const bytes = typeof content === 'string' ? encoder.encode(content) : content
  return message(Uint8Array.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes)
}

/** A message is the concatenation of its fields. */
export function message(...fields: readonly Uint8Array[]): Uint8Array {
  return concat(fields)
}

function* varint(value: number): Generator<number> {
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) yield (rest & 0x7f) | 0x80
  yield rest
}
