import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { resolveSettings } from '../../operator/settings.ts'
import { debugOf, logLevelOf } from './log-level.ts'

describe('logLevelOf', () => {
  const rlog = { RLOG_LOG_LEVEL: 'DEBUG' }

  it('[addons O4] reads RLOG_LOG_LEVEL and --debug=yes', () => {
    expect(logLevelOf(resolveSettings({}), {}, undefined)).toBe('info')
    expect(logLevelOf(resolveSettings({}), rlog, undefined)).toBe('debug')
    expect(logLevelOf(resolveSettings({}), {}, 'yes')).toBe('debug')
    expect(logLevelOf(resolveSettings({}), {}, 'no')).toBe('info')
    expect(logLevelOf(resolveSettings({}), { RLOG_LOG_LEVEL: 'loud' }, undefined)).toBe('info')
  })

  it('prefers an explicit setting', () => {
    expect(logLevelOf(resolveSettings({ flags: { logLevel: 'warn' } }), rlog, undefined)).toBe('warn')
  })
})

it.each([
  [['run', '--debug'], true],
  [['--debug', 'run'], true],
  [['run', '--debug=yes'], 'yes'],
  [['run', '--debug=no'], 'no'],
  [['run'], undefined],
])('%j sets debug: %s', async (args, expected) => {
  let value: unknown = 'not called'
  const run = new Command('run').option('--debug [choice]').action((_, command: Command) => {
    value = debugOf(command)
  })
  await new Command('carabiner').option('--debug').addCommand(run).parseAsync(args, { from: 'user' })
  expect(value).toBe(expected)
})
