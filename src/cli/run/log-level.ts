/** The log level: the setting, or the variable of addon-operator if the setting has its default. */
import type { Command } from 'commander'
import type { ResolvedSettings } from '../../operator/index.ts'
import type { LogLevel } from '../../runtime/index.ts'

const words: Readonly<Record<string, LogLevel>> = {
  TRACE: 'debug',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
  CRITICAL: 'error',
}

/** `--debug=yes` wins over everything; an explicit setting wins over `RLOG_LOG_LEVEL`. */
export function logLevelOf(
  { values, sources }: Pick<ResolvedSettings, 'values' | 'sources'>,
  env: Readonly<Record<string, string | undefined>>,
  debug: string | boolean | undefined,
): LogLevel {
  if (debug === true || debug === 'yes' || debug === 'true') return 'debug'
  const level = values.logLevel as LogLevel
  return sources.logLevel === 'default' ? (words[env['RLOG_LOG_LEVEL']?.toUpperCase() ?? ''] ?? level) : level
}

/** The value of `--debug`; without a value it is the global flag of the program. */
export function debugOf(command: Command): string | boolean | undefined {
  return command.optsWithGlobals()['debug'] as string | boolean | undefined
}
