import { describe, expect, it } from 'vitest'
import { resolveSettings } from '../../operator/settings.ts'
import { logLevelOf } from './log-level.ts'

describe('logLevelOf', () => {
  const rlog = { RLOG_LOG_LEVEL: 'DEBUG' }

  it('[addons O4] knows RLOG_LOG_LEVEL and --debug=yes', () => {
    expect(logLevelOf(resolveSettings({}), {}, undefined)).toBe('info')
    expect(logLevelOf(resolveSettings({}), rlog, undefined)).toBe('debug')
    expect(logLevelOf(resolveSettings({}), {}, 'yes')).toBe('debug')
    expect(logLevelOf(resolveSettings({}), {}, 'no')).toBe('info')
    expect(logLevelOf(resolveSettings({}), { RLOG_LOG_LEVEL: 'loud' }, undefined)).toBe('info')
  })

  it('prefers a setting that was given', () => {
    expect(logLevelOf(resolveSettings({ flags: { logLevel: 'warn' } }), rlog, undefined)).toBe('warn')
  })
})
