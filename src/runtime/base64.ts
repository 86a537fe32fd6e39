/** Base64 of bytes and of UTF-8 text. The built-in `btoa` and `atob` handle only characters of one byte. */

/** Works for any length: spreading the bytes into `String.fromCharCode` fails beyond some hundred thousand arguments. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** Throws when the text is not base64; white space is ignored. */
export function fromBase64(base64: string): Uint8Array {
  const letters = atob(base64)
  const bytes = new Uint8Array(letters.length)
  for (let index = 0; index < letters.length; index += 1) bytes[index] = letters.charCodeAt(index)
  return bytes
}

export function textToBase64(text: string): string {
  return toBase64(new TextEncoder().encode(text))
}

/** Throws when the text is not base64; bytes that are not UTF-8 become replacement characters. */
export function textFromBase64(base64: string): string {
  return new TextDecoder().decode(fromBase64(base64))
}
