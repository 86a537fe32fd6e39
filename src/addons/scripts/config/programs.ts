/**
 * Compiles jq filters, crontabs and durations when the configuration is read, so that errors show at startup and not with the first event.
 */
import { parse, parseDuration } from '../../../cron/index.ts'
import { type CompileOptions, compile, type Program } from '../../../jq/index.ts'
import type { Fields } from './fields.ts'
import { shown } from './findings.ts'

export function readJqFilter(fields: Fields, options: CompileOptions): Program | undefined {
  const source = fields.text('jqFilter')
  if (source === undefined || source.trim() === '') return undefined
  try {
    return compile(source, options)
  } catch (error) {
    fields.error('jqFilter', `${shown(source)} is not a jq program: ${messageOf(error)}`)
    return undefined
  }
}

export function readCrontab(fields: Fields): string {
  const crontab = fields.required('crontab')
  if (crontab === '') return crontab
  try {
    parse(crontab)
  } catch (error) {
    fields.error('crontab', messageOf(error))
  }
  return crontab
}

/** In milliseconds. */
export function readDuration(fields: Fields, key: string): number | undefined {
  const given = fields.raw(key)
  if (given === undefined) return undefined
  const duration = typeof given === 'string' ? parseDuration(given) : undefined
  if (duration === undefined || duration < 0)
    fields.error(key, `${shown(given)} is not a duration such as 3s, 1m30s or 500ms`)
  return duration
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
