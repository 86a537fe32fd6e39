/**
 * Log lines for people: date and time, level, message, then the fields as `name=value`. Reads pino's JSON and knows nothing about loggers.
 */
import picocolors from 'picocolors'
import type { ErrorCode } from '../errors.ts'

type Colors = ReturnType<typeof picocolors.createColors>

export function createTextPrinter(color: boolean): (line: string) => string {
  const colors = picocolors.createColors(color)
  return (line) => {
    const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
    // Date and zone too: logs are read days later and elsewhere, and held against events and lines of JSON, which have both.
    const stamp = time === undefined ? [] : [colors.dim(String(time))]
    const shown = Object.entries(fields).map(([name, value]) => field(name, value, colors))
    return `${[...stamp, label(String(level), colors), String(msg), ...shown].join(' ')}\n`
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
  const told = (label: string, text: string) => `${colors.dim(`${label}=`)}${quoted(text)}`
  if (isError(value)) {
    const message = told(name, value.message)
    const said = value.remedy === undefined ? message : `${message} ${told('remedy', value.remedy)}`
    // Whoever is told what to do need not know where in this program it was found out, except for defects of it.
    if (value.remedy !== undefined && value.code !== internal) return said
    // An error reads better as its message; the stack follows on lines of its own.
    return [said, ...stacks(value)].map((text, line) => (line === 0 ? text : colors.dim(text))).join('\n')
  }
  return typeof value === 'string' ? told(name, value) : `${colors.dim(`${name}=`)}${JSON.stringify(value)}`
}

interface WrittenError {
  readonly message: string
  readonly stack: string
  readonly code?: string
  readonly remedy?: string
  readonly cause?: unknown
}

const internal = 'CRB_INTERNAL' satisfies ErrorCode

function isError(value: unknown): value is WrittenError {
  return typeof value === 'object' && value !== null && 'stack' in value && 'message' in value
}

/** Where it came about; of a defect also where its causes did, for itself it only says where they were caught. */
function stacks({ stack, code, cause }: WrittenError): readonly string[] {
  const own = stack.split('\n').slice(1)
  if (code !== internal || !isError(cause)) return own
  return [...own, `caused by: ${cause.message}`, ...stacks({ ...cause, code })]
}

function quoted(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : JSON.stringify(text)
}
