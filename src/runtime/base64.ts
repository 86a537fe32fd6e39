/** Base64 of bytes of any length; `btoa` alone takes text, and spreading bytes into a call fails beyond some hundred thousand. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
