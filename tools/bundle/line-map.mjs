/**
 * Source maps that name the file and the line, and not the column. A line of a stack trace needs no more, and such a map has a fifth of the size:
 * without them the maps would be a third of the package.
 */
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const valueOfDigit = new Map(Array.from(digits, (digit, index) => [digit, index]))
const [continues, payload, shift] = [32, 31, 5]

/** The map with one segment for each run of generated code that comes from one line. */
export function lineMap(text) {
  const { sources, mappings } = JSON.parse(text)
  const written = { column: 0, source: 0, line: 0 }
  let [source, line] = [0, 0]
  const lines = mappings.split(';').map((segments) => {
    let column = 0
    written.column = 0
    let last
    const kept = []
    for (const segment of segments === '' ? [] : segments.split(',')) {
      const [columns, sourceDelta, lineDelta] = decode(segment)
      column += columns
      if (sourceDelta === undefined) continue
      source += sourceDelta
      line += lineDelta
      if (last?.source === source && last.line === line) continue
      last = { column, source, line }
      kept.push(encode([column - written.column, source - written.source, line - written.line, 0]))
      Object.assign(written, last)
    }
    return kept.join(',')
  })
  return JSON.stringify({ version: 3, sources, names: [], mappings: lines.join(';') })
}

/** The numbers of a segment, in base 64 with variable length: generated column, source, line, column, name. */
export function decode(segment) {
  const numbers = []
  let [number, bits] = [0, 0]
  for (const digit of segment) {
    const value = valueOfDigit.get(digit)
    number += (value & payload) << bits
    bits += shift
    if (value & continues) continue
    numbers.push(number & 1 ? -(number >> 1) : number >> 1)
    number = bits = 0
  }
  return numbers
}

function encode(numbers) {
  return numbers
    .map((number) => {
      let rest = number < 0 ? (-number << 1) | 1 : number << 1
      let text = ''
      do {
        const value = rest & payload
        rest >>>= shift
        text += digits[rest > 0 ? value | continues : value]
      } while (rest > 0)
      return text
    })
    .join('')
}
