/**
 * Backslash escapes in strings of a program: those of JSON. A run of escapes is parsed as one JSON string, because the positions in the
 * messages of jq refer to it.
 */
import { JsonParser } from '../json/parse.ts'

export interface EscapeError {
  readonly start: number
  readonly end: number
  readonly message: string
}

const escapeRun = /(?:\\(?:u[0-9a-fA-F]{0,4}|[^u]))+/g

export function unescapeText(raw: string): string | EscapeError {
  if (!raw.includes('\\')) return raw
  let problem: EscapeError | undefined
  const text = raw.replace(escapeRun, (run, at: number) => {
    const quoted = `"${run}"`
    try {
      return String(new JsonParser(quoted).next())
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      problem ??= { start: at, end: at + run.length, message: `${message} (while parsing '${quoted}')` }
      return ''
    }
  })
  return problem ?? text
}
