/** JSON pointers (RFC 6901): converts text to reference tokens and back. */

/** The tokens of a pointer, or undefined when the text is not one. */
export function parsePointer(text: string): string[] | undefined {
  if (text === '') return []
  if (text.charCodeAt(0) !== 47 || /~(?![01])/.test(text)) return undefined
  const tokens = text.slice(1).split('/')
  return text.includes('~') ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) : tokens
}

export function formatPointer(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${escapeToken(String(token))}`).join('')
}

export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The array index of a token; undefined when RFC 6901 does not allow it (signs, leading zeros). */
export function parseIndex(token: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(token) ? Number(token) : undefined
}
