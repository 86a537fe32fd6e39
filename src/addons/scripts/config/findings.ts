/** Collects all errors and warnings of a configuration, so that the author of a hook sees them together. */
export class Findings {
  readonly errors: string[] = []
  readonly warnings: string[] = []

  error(field: string, text: string): void {
    this.errors.push(`${field === '' ? '' : `${field}: `}${text}`)
  }

  warn(field: string, text: string): void {
    this.warnings.push(`${field === '' ? '' : `${field}: `}${text}`)
  }
}

/** The known word most similar to `word`, or else the only one that begins with it. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  return nearest(word, known) ?? onlyWithPrefix(word, known)
}

/** Shorter prefixes give no suggestion. */
const minPrefixLength = 3

function onlyWithPrefix(word: string, known: Iterable<string>): string | undefined {
  if (word.length < minPrefixLength) return undefined
  const [only, ...others] = [...known].filter((one) => one.toLowerCase().startsWith(word.toLowerCase()))
  return others.length === 0 ? only : undefined
}

function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  // Two typos in a short word make another word.
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    // Words with hardly a letter in common are not similar.
    const isAlike = distance < Math.max(word.length, candidate.length) - 1
    if (isAlike && distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** The Levenshtein distance. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let at = 1; at <= left.length; at++) {
    const next = [at]
    for (let to = 1; to <= right.length; to++) {
      const replace = (row[to - 1] ?? 0) + (left[at - 1] === right[to - 1] ? 0 : 1)
      next.push(Math.min(replace, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[right.length] ?? 0
}

/** A value for a message: JSON, shortened to 80 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
