/** Reads the protobuf wire format as far as Kubernetes uses it. */
export interface WireField {
  readonly number: number
  /** Of varints and fixed-width numbers. */
  readonly value: bigint
  /** Of strings, bytes and messages. */
  readonly bytes: Uint8Array
}

const none = new Uint8Array()

/** Throws a RangeError when the bytes end too early or a field has an unknown wire type. */
export function* fieldsOf(message: Uint8Array): Generator<WireField> {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength)
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = view.getUint8(at++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new RangeError('a number has more than ten bytes')
  }
  while (at < message.length) {
    const key = Number(varint())
    const number = key >>> 3
    switch (key & 7) {
      case 0:
        yield { number, value: varint(), bytes: none }
        break
      case 1:
        yield { number, value: view.getBigUint64(at, true), bytes: none }
        at += 8
        break
      case 2: {
        const length = Number(varint())
        if (length > message.length - at) throw new RangeError('a field is longer than its message')
        yield { number, value: 0n, bytes: message.subarray(at, at + length) }
        at += length
        break
      }
      case 5:
        yield { number, value: BigInt(view.getUint32(at, true)), bytes: none }
        at += 4
        break
      default:
        throw new RangeError(`field ${number} has the unknown wire type ${key & 7}`)
    }
  }
}
