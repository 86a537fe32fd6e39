/** Base64 of bytes and of text in UTF-8. The engine's own `btoa` and `atob` know only letters of one byte and mangle or refuse all others. */

/** Of any length: spreading bytes into a call fails beyond some hundred thousand. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** Throws for what is not base64; white space is passed over. */
export function fromBase64(base64: string): Uint8Array {
  const letters = atob(base64)
  const bytes = new Uint8Array(letters.length)
  for (let index = 0; index < letters.length; index += 1) bytes[index] = letters.charCodeAt(index)
  return bytes
}

export function textToBase64(text: string): string {
  return toBase64(new TextEncoder().encode(text))
}

/** Throws for what is not base64; bytes that are no UTF-8 become question marks. */
export function textFromBase64(base64: string): string {
  return new TextDecoder().decode(fromBase64(base64))
}
