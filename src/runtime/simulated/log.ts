/** Logs in memory with virtual times, for tests. Credentials are redacted as in the real log. */
import type { Instant } from '../clock.ts'
import type { LogFields, Logger, LogLevel } from '../log.ts'
import { redact, redactText } from '../redaction.ts'
import type { Cell } from './cell.ts'

export interface LogRecord {
  readonly time: Instant
  readonly domain: string
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
}

export function createMemoryLog(cell: Cell, records: LogRecord[], inherited: LogFields = {}): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (cell.halted) return
      const all = { ...inherited, ...redact(fields) }
      records.push({ time: cell.now(), domain: cell.name, level, message: redactText(message), fields: all })
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => createMemoryLog(cell, records, { ...inherited, ...redact(fields) }),
  }
}
