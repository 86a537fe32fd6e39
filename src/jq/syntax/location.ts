/**
 * Converts an offset in a program to file, line, column and the line with carets below.
 */
import { JqError } from '../error.ts'
import type { Span } from './ast.ts'

export interface SourceText {
  readonly name: string
  readonly text: string
}

export function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

export function syntaxError(source: SourceText, span: Span, message: string): JqError {
  const { text } = source
  const start = Math.min(span.start, text.length)
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const newline = text.indexOf('\n', start)
  const lineEnd = newline === -1 ? text.length : newline
  const line = lineOf(text, start)
  const column = start - lineStart + 1
  const carets = Math.max(1, Math.min(span.end, lineEnd) - start)
  const picture = `    ${text.slice(lineStart, lineEnd)}\n    ${' '.repeat(column - 1)}${'^'.repeat(carets)}`
  return new JqError('syntax', `${message} at ${source.name}, line ${line}, column ${column}:\n${picture}`, {
    value: message,
    line,
    column,
    picture,
  })
}
