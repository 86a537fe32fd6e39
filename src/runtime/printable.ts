/**
 * Makes text from a cluster or a hook safe for a terminal: escape sequences and other control characters could change colours, move the
 * cursor or overwrite earlier lines.
 */

/** Control characters except tabs and line breaks, characters that change the direction of text, and lone surrogates. */
const unsafe = /(?![\t\n])[\p{Cc}\p{Surrogate}\u202a-\u202e\u2066-\u2069]/gu

/** For text with several lines: line breaks and tabs are kept. */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(unsafe, visible)
}

/** For a table cell or a single line. */
export function printableLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(unsafe, visible)
}

function visible(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
}
