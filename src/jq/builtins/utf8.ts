/**
 * Decodes UTF-8 and replaces invalid bytes by the rules of jq: a sequence that the end truncates becomes one replacement character; an
 * invalid sequence is replaced up to the invalid byte.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0
    const wanted = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
    let length = Math.max(1, Math.min(wanted, bytes.length - at))
    let point = wanted === length ? first & (length === 1 ? 0x7f : 0xff >> (length + 1)) : -1
    for (let i = 1; i < length && point >= 0; i += 1) {
      const next = bytes[at + i] ?? 0
      if ((next & 0xc0) === 0x80) point = (point << 6) | (next & 0x3f)
      else {
        point = -1
        length = i
      }
    }
    const shortest = [0, 0, 0x80, 0x800, 0x10000][length] ?? 0
    const valid = point >= shortest && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
    text += String.fromCodePoint(valid ? point : 0xfffd)
    at += length
  }
  return text
}
