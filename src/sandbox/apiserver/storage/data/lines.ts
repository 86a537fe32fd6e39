/**
 * The lines of a data file: a checksum and JSON text. A line is written at once and synced before the next one, so only the last line can be
 * torn by a crash; any other damage was done by something else.
 */
import { crc32, type Json } from '../../../../runtime/index.ts'

const newline = 0x0a
/** Eight hexadecimal digits and a space. */
const prefixLength = 9

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function encodeLine(value: Json): Uint8Array {
  const json = encoder.encode(JSON.stringify(value))
  const line = new Uint8Array(prefixLength + json.byteLength + 1)
  line.set(encoder.encode(`${crc32(json).toString(16).padStart(8, '0')} `))
  line.set(json, prefixLength)
  line[line.byteLength - 1] = newline
  return line
}

export class DamagedLineError extends Error {}

/** The values of all lines; a torn last line is left out. */
export function* decodeLines(bytes: Uint8Array): Generator<Json> {
  let damagedAt: number | undefined
  for (let start = 0; start < bytes.byteLength; ) {
    const end = bytes.indexOf(newline, start)
    const line = end === -1 ? undefined : bytes.subarray(start, end)
    if (line === undefined || !isIntact(line)) damagedAt ??= start
    else if (damagedAt !== undefined) throw new DamagedLineError(`the line at byte ${damagedAt} is damaged`)
    else yield JSON.parse(decoder.decode(line.subarray(prefixLength))) as Json
    if (end === -1) return
    start = end + 1
  }
}

function isIntact(line: Uint8Array): boolean {
  const prefix = decoder.decode(line.subarray(0, prefixLength))
  return /^[0-9a-f]{8} $/.test(prefix) && Number.parseInt(prefix, 16) === crc32(line.subarray(prefixLength))
}
