/**
 * JSON values one after the other, as programs print them: with or without lines between them.
 */
import { JsonParser } from '../../jq/index.ts'
import { toPlain } from '../../jq/values/plain.ts'
import type { Json } from '../../runtime/json.ts'

export function readJsonStream(text: string): Json[] {
  const parser = new JsonParser(text)
  const values: Json[] = []
  for (let value = parser.next(); value !== undefined; value = parser.next()) values.push(toPlain(value))
  return values
}

export interface BrokenLine {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** Where the first value begins that is no JSON on its own line; whoever writes one value on each line has a slip there. */
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

/** What is wrong with a text that is no stream of JSON: the parser counts to where it gave up, which is rarely where the slip is. */
export function whyNoJson(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/ at line \d+, column \d+$/, '')
}
