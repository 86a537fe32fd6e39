/**
 * Text from a cluster or a hook, made safe for a terminal: escape sequences and other control characters could change colours, move the
 * cursor or rewrite lines that are shown already.
 */

/** Control characters but tabs and line breaks, characters that change the direction of text, and what is no character at all. */
const unsafe = /(?![\t\n])[\p{Cc}\p{Surrogate}\u202a-\u202e\u2066-\u2069]/gu

/** For texts of several lines: line breaks and tabs stay. */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(unsafe, visible)
}

/** For one cell or line. */
export function printableLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(unsafe, visible)
}

function visible(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
}
