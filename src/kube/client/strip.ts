/**
 * Takes `metadata.managedFields` out of JSON text before it is parsed. It is half of a typical object, nothing in a controller reads
 * it, and walking over characters costs a tenth of making values of them. Works on the compact form that API servers write; any other
 * text comes back as it is.
 */
const key = '"managedFields":['
const parent = '"metadata":'

const quote = 34
const backslash = 92
const openBracket = 91
const closeBracket = 93
const openBrace = 123
const closeBrace = 125
const comma = 44

/**
 * `depth` says how many brackets are open inside the metadata in question: 2 for an object, 3 for a watch event, 4 for a list. What has
 * the same name elsewhere, for example in an object that holds another one, stays.
 */
export function withoutManagedFields(text: string, depth: number): string {
  let found = text.indexOf(key)
  if (found === -1) return text
  const open: number[] = []
  let kept = ''
  let copied = 0
  let scanned = 0
  while (found !== -1) {
    scan(text, scanned, found, open)
    const start = found + key.length - 1
    if (open.length === depth && isOwn(text, found, open[depth - 1] ?? 0)) {
      const end = endOf(text, start)
      const [from, to] = withComma(text, found, end)
      kept += text.slice(copied, from)
      copied = to
      scanned = end
    } else scanned = found
    found = text.indexOf(key, Math.max(scanned, found + 1))
  }
  return kept + text.slice(copied)
}

/** Keeps the positions of the brackets that are open at `end`. */
function scan(text: string, start: number, end: number, open: number[]): void {
  for (let at = start; at < end; at++) {
    const char = text.charCodeAt(at)
    if (char === quote) at = endOfString(text, at)
    else if (char === openBrace || char === openBracket) open.push(at)
    else if (char === closeBrace || char === closeBracket) open.pop()
  }
}

function isOwn(text: string, found: number, opener: number): boolean {
  const before = text.charCodeAt(found - 1)
  return (before === comma || before === openBrace) && text.startsWith(parent, opener - parent.length)
}

/** The position after the bracket that closes the one at `start`. */
function endOf(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === quote) at = endOfString(text, at)
    else if (char === openBrace || char === openBracket) depth++
    else if ((char === closeBrace || char === closeBracket) && --depth === 0) return at + 1
  }
  return text.length
}

/** The position of the quote that ends the string which starts at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === quote) return at
    if (char === backslash) at++
  }
  return text.length
}

function withComma(text: string, start: number, end: number): [number, number] {
  if (text.charCodeAt(start - 1) === comma) return [start - 1, end]
  return [start, text.charCodeAt(end) === comma ? end + 1 : end]
}
