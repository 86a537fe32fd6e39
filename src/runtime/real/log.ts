/** Logs through pino: one JSON object per line, or lines of text. Credentials are redacted. */
import { destination as openDestination, type Logger as Pino, pino } from 'pino'
import { isLogged, type LogFields, type Logger, type LogLevel, type LogVolume } from '../log.ts'
import { redact, redactText } from '../redaction.ts'
import { createTextPrinter } from './log-text.ts'

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
  return adapt(root, options.volume ?? { level: 'info' })
}

function adapt(log: Pino, volume: LogVolume): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void => {
      if (!isLogged(level, volume)) return
      if (fields === undefined) log[level](redactText(message))
      else log[level](redact(fields), redactText(message))
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => adapt(log.child(redact(fields)), volume),
  }
}
