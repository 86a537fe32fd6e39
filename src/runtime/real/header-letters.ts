/**
 * Letters in headers. Node takes and gives one byte per character; API servers write UTF-8 there, for warnings in any language, and Node
 * refuses letters beyond Latin ones.
 */
const beyondAscii = /[\u0080-\uffff]/

export function lettersToBytes(value: string): string {
  return beyondAscii.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value
}

export function lettersFromBytes(value: string): string {
  return beyondAscii.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value
}
