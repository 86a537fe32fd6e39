/** Parses a stream of JSON values, as programs print them, with or without line breaks between them. */
import { JsonParser, toPlain } from '../../jq/index.ts'
import type { Json } from '../../runtime/index.ts'

export function readJsonStream(text: string): Json[] {
  const parser = new JsonParser(text)
  const values: Json[] = []
  for (let value = parser.next(); value !== undefined; value = parser.next()) values.push(toPlain(value))
  return values
}

export interface BrokenLine {
  /** Counted from 1. */
  readonly number: number
  readonly text: string
}

/** The first line that is not JSON by itself: the likely error in a file with one value per line. */
export function brokenLine(text: string): BrokenLine | undefined {
  const lines = text.split('\n')
  const index = lines.findIndex((line) => line.trim() !== '' && !isJson(line))
  return index < 0 ? undefined : { number: index + 1, text: (lines[index] ?? '').trim() }
}

function isJson(line: string): boolean {
  try {
    readJsonStream(line)
    return true
  } catch {
    return false
  }
}

/** The message of a parse error without its position, which is rarely the position of the mistake. */
export function whyNoJson(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/ at line \d+, column \d+$/, '')
}
