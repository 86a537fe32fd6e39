import { describe, expect, it } from 'vitest'
import { recordedContext } from '../../../test/cli/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { command } from './index.ts'

/** Runs the command at a fixed time; only the clock of the runtime is used. */
async function run(...args: readonly string[]): Promise<string> {
  const runtime = { clock: { now: () => Date.UTC(2026, 10, 1, 10) } } as unknown as Runtime
  const { context, written } = recordedContext(runtime)
  await command(context)
    .exitOverride()
    .parseAsync([...args], { from: 'user' })
  return written()
}

describe('carabiner cron next', () => {
  it('prints the description and the next times, local and in UTC', async () => {
    expect(await run('next', 'TZ=America/New_York 30 12 * * MON-FRI', '-n', '2')).toBe(
      [
        'at 12:30:00 on Monday to Friday (America/New_York)',
        'Mon 2026-11-02 12:30:00 GMT-05:00  2026-11-02T17:30:00Z',
        'Tue 2026-11-03 12:30:00 GMT-05:00  2026-11-03T17:30:00Z',
        '',
      ].join('\n'),
    )
  })

  it('starts an interval at the given time', async () => {
    const output = await run('next', '@every 90m', '-n', '1', '--from', '2026-01-01T00:00:00Z', '--tz', 'UTC')
    expect(output).toBe('every hour and 30 minutes\nThu 2026-01-01 01:30:00 GMT+00:00  2026-01-01T01:30:00Z\n')
  })

  it('prints JSON', async () => {
    expect(JSON.parse(await run('next', '0 0 29 2 *', '-n', '2', '--tz', 'UTC', '-o', 'json'))).toEqual({
      expression: '0 0 29 2 *',
      description: 'at 00:00:00 on day 29 of the month in February (UTC)',
      zone: 'UTC',
      next: ['2028-02-29T00:00:00.000Z', '2032-02-29T00:00:00.000Z'],
    })
  })

  it('reports a schedule that never fires', async () => {
    expect(await run('next', '0 0 30 2 *', '--tz', 'UTC')).toContain('does not fire within five years')
  })

  it('rejects invalid arguments with an error code', async () => {
    await expect(run('next', '* * *')).rejects.toMatchObject({ code: 'CRB_CRON_INVALID' })
    await expect(run('next', '@daily', '-n', '0')).rejects.toMatchObject({ code: 'CRB_USAGE' })
    await expect(run('next', '@daily', '--from', 'soon')).rejects.toMatchObject({ code: 'CRB_USAGE' })
    await expect(run('next', '@daily', '-o', 'xml')).rejects.toMatchObject({ code: 'CRB_USAGE' })
  })
})
