/**
 * Reads YAML as Go's YAML library does where the specification is stricter: the later lines of a quoted text or of a collection in brackets
 * may be indented less than their key. The spaces at the beginning of such a line have no meaning, so more of them change nothing.
 */
import { YAMLException } from 'js-yaml'
import { largest } from '../../runtime/index.ts'

/** Each such line costs one reading of the whole text. */
const maxLines = 100

/** Calls `read` with the text, its lines indented as far as the parser demands. A text that is wrong otherwise gives its first error. */
export function withIndentation<T>(text: string, read: (text: string) => T): T {
  try {
    return read(text)
  } catch (error) {
    return readIndented(text, error, read)
  }
}

function readIndented<T>(text: string, first: unknown, read: (text: string) => T): T {
  const lines = text.split(/(?<=\n|\r(?!\n))/)
  const indentation = ' '.repeat(largest(lines.map((line) => line.search(/[^ ]|$/))) + 1)
  let error = first
  for (let count = 0; count < maxLines; count++) {
    const number = lineInside(error)
    const line = number === undefined ? undefined : lines[number]
    if (number === undefined || line === undefined || isDocumentMarker(line)) throw first
    lines[number] = `${indentation}${line}`
    try {
      return read(lines.join(''))
    } catch (next) {
      error = next
    }
  }
  throw first
}

/** Counted from 0; undefined for any other error. */
function lineInside(error: unknown): number | undefined {
  return error instanceof YAMLException && error.reason === 'deficient indentation' ? error.mark?.line : undefined
}

function isDocumentMarker(line: string): boolean {
  return /^(?:---|\.\.\.)(?:\s|$)/.test(line)
}
