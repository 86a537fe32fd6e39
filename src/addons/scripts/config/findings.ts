/**
 * What is wrong with a configuration, gathered: a hook's author mends all of it at once instead of one thing per start.
 */
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

/** The word of `known` that someone who wrote `word` probably meant: the nearest, or else the only one that begins like it. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  return nearest(word, known) ?? onlyBeginning(word, known)
}

/** Shorter beginnings are no hint. */
const shortestBeginning = 3

function onlyBeginning(word: string, known: Iterable<string>): string | undefined {
  if (word.length < shortestBeginning) return undefined
  const [only, ...others] = [...known].filter((one) => one.toLowerCase().startsWith(word.toLowerCase()))
  return others.length === 0 ? only : undefined
}

function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  // Two slips in a short word make another word.
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    const distance = slips(word.toLowerCase(), candidate.toLowerCase())
    // Words that share hardly a letter are not meant for each other.
    const isAlike = distance < Math.max(word.length, candidate.length) - 1
    if (isAlike && distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Letters to add, drop or replace to make one word of the other. */
function slips(left: string, right: string): number {
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

/** A value as it is shown in a message: JSON, cut where it gets long. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
