/**
 * Formats the JSON lines of pino as text: date and time, level, message, then the fields as `name=value`. Messages and fields contain texts of
 * hooks and clusters: their control characters are shown, because they could hide or overwrite other lines of a terminal.
 */
import picocolors from 'picocolors'
import type { ErrorCode } from '../errors.ts'
import { printable } from '../printable.ts'

type Colors = ReturnType<typeof picocolors.createColors>

export function createTextPrinter(color: boolean): (line: string) => string {
  const colors = picocolors.createColors(color)
  return (line) => {
    const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
    // With date and zone: logs are read later and elsewhere and compared with events and JSON lines, which have both.
    const stamp = time === undefined ? [] : [colors.dim(String(time))]
    const shown = Object.entries(fields).map(([name, value]) => field(name, value, colors))
    return `${[...stamp, label(String(level), colors), printable(String(msg)), ...shown].join(' ')}\n`
  }
}

function label(level: string, colors: Colors): string {
  const text = level.toUpperCase().padEnd(5)
  switch (level) {
    case 'error':
      return colors.red(text)
    case 'warn':
      return colors.yellow(text)
    case 'info':
      return colors.green(text)
    default:
      return colors.dim(text)
  }
}

function field(name: string, value: unknown, colors: Colors): string {
  const pair = (label: string, text: string) => `${colors.dim(`${label}=`)}${quoted(text)}`
  if (isError(value)) {
    const message = pair(name, value.message)
    const summary = value.remedy === undefined ? message : `${message} ${pair('remedy', value.remedy)}`
    if (!isDefect(value)) return summary
    return [summary, ...stacks(value)].map((text, line) => (line === 0 ? text : colors.dim(printable(text)))).join('\n')
  }
  return typeof value === 'string' ? pair(name, value) : `${colors.dim(`${name}=`)}${printable(JSON.stringify(value))}`
}

export interface WrittenError {
  readonly message: string
  readonly stack: string
  readonly code?: string
  readonly remedy?: string
  readonly cause?: unknown
}

const internal = 'CRB_INTERNAL' satisfies ErrorCode

export function isError(value: unknown): value is WrittenError {
  return typeof value === 'object' && value !== null && 'stack' in value && 'message' in value
}

/** All errors but defects of this program have a remedy. */
export function isDefect({ remedy, code }: WrittenError): boolean {
  return remedy === undefined || code === internal
}

/** The stack of the error; for CRB_INTERNAL also the stacks of its causes, because its own only shows where they were caught. */
function stacks({ stack, code, cause }: WrittenError): readonly string[] {
  const own = stack.split('\n').slice(1)
  if (code !== internal || !isError(cause)) return own
  return [...own, `caused by: ${cause.message}`, ...stacks({ ...cause, code })]
}

function quoted(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : printable(JSON.stringify(text))
}
