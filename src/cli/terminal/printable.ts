/**
 * Text from a cluster or a hook, made safe for a terminal: escape sequences and other control characters could change colours, move the
 * cursor or rewrite lines that are shown already.
 */

/** C0 and C1 control characters, and characters that change the direction of text. Lone surrogates cannot be printed at all. */
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu

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
