/** Logs: a constant message and key-value fields, never interpolated text. Callers never pass secrets as fields. */
export type LogFields = Readonly<Record<string, unknown>>

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds these fields to every line. */
  with(fields: LogFields): Logger
}

/** The level of all loggers of the process; may be changed at any time. */
export interface LogVolume {
  level: LogLevel
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

export function isLogLevel(word: string): word is LogLevel {
  return (levels as readonly string[]).includes(word)
}

/** Whether a line of this level is written. */
export function isLogged(level: LogLevel, volume: LogVolume): boolean {
  return levels.indexOf(level) >= levels.indexOf(volume.level)
}
