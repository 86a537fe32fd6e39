/** Logs through pino: one JSON object per line, or lines of text. Credentials are redacted. */
import { destination as openDestination, type Logger as Pino, pino } from 'pino'
import { isLogged, type LogFields, type Logger, type LogLevel, type LogVolume } from '../log.ts'
import { redact, redactText } from '../redaction.ts'
import { createTextPrinter, isDefect, isError, type WrittenError } from './log-text.ts'

export interface LogOptions {
  /** @default always `info` */
  readonly volume?: LogVolume
  /** @default 'json' */
  readonly format?: 'json' | 'text'
  /** Colours in text. @default false */
  readonly color?: boolean
  /** Whether a line starts with its time. @default true */
  readonly time?: boolean
  /** The output; written synchronously so that a crash loses no lines. @default 'stderr' */
  readonly to?: 'stdout' | 'stderr'
  /** Receives each line with its newline instead of the output. */
  readonly write?: (line: string) => void
}

export function createRealLog(options: LogOptions = {}): Logger {
  const dest = options.to === 'stdout' ? 1 : 2
  const out = options.write === undefined ? openDestination({ dest, sync: true }) : { write: options.write }
  const print = options.format === 'text' ? createTextPrinter(options.color ?? false) : undefined
  const sink = print === undefined ? out : { write: (line: string) => out.write(print(line)) }
  const root = pino(
    {
      level: 'debug',
      base: null,
      messageKey: 'msg',
      timestamp: options.time === false ? false : () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    sink as NodeJS.WritableStream,
  )
  const clean = print === undefined ? lean : redact
  return adapt(root, options.volume ?? { level: 'info' }, clean)
}

/** Redacts the fields of a line at a level. */
type Clean = (fields: LogFields, line: { readonly level: LogLevel; readonly volume: LogVolume }) => LogFields

function adapt(log: Pino, volume: LogVolume, clean: Clean): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void => {
      if (!isLogged(level, volume)) return
      if (fields === undefined) log[level](redactText(message))
      else log[level](clean(fields, { level, volume }), redactText(message))
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => adapt(log.child(redact(fields)), volume, clean),
  }
}

/** A stack helps with defects of this program alone, and makes every other line a page long: without level debug only they have one. */
const lean: Clean = (fields, { level, volume }) => {
  const clean = redact(fields)
  if (volume.level === 'debug') return clean
  const hasStack = (error: WrittenError) => level === 'error' && isDefect(error)
  return Object.fromEntries(
    Object.entries(clean).map(([name, value]) => [
      name,
      isError(value) && !hasStack(value) ? withoutStack(value) : value,
    ]),
  )
}

function withoutStack({ stack: _, cause, ...rest }: WrittenError): LogFields {
  return cause === undefined ? rest : { ...rest, cause: isError(cause) ? withoutStack(cause) : cause }
}
