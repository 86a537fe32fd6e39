/** The URL-safe base64 alphabet without padding, used by tokens and continue tokens. */
import { fromBase64, toBase64 } from '../../runtime/index.ts'

export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Throws for text that is not base64. */
export function fromBase64Url(text: string): Uint8Array {
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
}
