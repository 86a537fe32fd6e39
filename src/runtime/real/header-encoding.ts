/**
 * UTF-8 in header values. Node treats header values as Latin-1 and refuses other characters, but API servers send UTF-8 in Warning
 * headers.
 */
const beyondAscii = /[\u0080-\uffff]/

export function encodeHeaderValue(value: string): string {
  return beyondAscii.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value
}

export function decodeHeaderValue(value: string): string {
  return beyondAscii.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value
}
