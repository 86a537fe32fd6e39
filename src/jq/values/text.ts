/**
 * Strings as sequences of code points, as in jq. Text without surrogates, the common case, takes a fast path.
 */
const surrogate = /[\ud800-\udfff]/
const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Replaces lone surrogates by the replacement character, as jq does. */
export function wellFormed(text: string): string {
  return surrogate.test(text) ? text.replace(lone, '\ufffd') : text
}

export function codePointLength(text: string): number {
  if (!surrogate.test(text)) return text.length
  let count = 0
  for (const _ of text) count += 1
  return count
}

export function sliceCodePoints(text: string, start: number, end: number): string {
  if (!surrogate.test(text)) return text.slice(start, end)
  return Array.from(text).slice(start, end).join('')
}

/** Converts UTF-16 offsets, in increasing order, to code point offsets. */
export function codePointOffsets(text: string): (offset: number) => number {
  if (!surrogate.test(text)) return (offset) => offset
  let at = 0
  let count = 0
  return (offset) => {
    if (offset < at) {
      at = 0
      count = 0
    }
    while (at < offset) {
      const unit = text.charCodeAt(at)
      at += unit >= 0xd800 && unit < 0xdc00 && at + 1 < text.length ? 2 : 1
      count += 1
    }
    return count
  }
}

/** The code point offsets of `needle` in `text`, overlaps included. */
export function occurrences(text: string, needle: string): number[] {
  if (needle === '') return []
  const offsetOf = codePointOffsets(text)
  const found: number[] = []
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) found.push(offsetOf(at))
  return found
}
