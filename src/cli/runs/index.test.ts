import { describe, expect, it } from 'vitest'
import { shortKey } from '../../hooks/index.ts'
import { findRun, type ListedRun } from './collect.ts'
import { readFilter } from './filter.ts'
import { listRuns } from './listing.ts'
import { shownRun } from './show.ts'

const now = Date.parse('2026-01-01T00:10:00Z')
const run = (more: Partial<ListedRun> = {}): ListedRun => ({
  key: 'rollouts/u-1/5d8c/50%/smoke/1',
  surface: 'rollouts',
  subject: { kind: 'Deployment', namespace: 'shop', name: 'web' },
  lifecycle: '5d8c',
  point: '50%',
  hook: 'smoke',
  attempt: 1,
  outcome: 'succeeded',
  startedAt: '2026-01-01T00:09:00.000Z',
  endedAt: '2026-01-01T00:09:30.000Z',
  keptIn: 'journal',
  ...more,
})
const script = run({
  key: 'addons/k3/17/pods/modules/001-web/hooks/pods.sh/2',
  surface: 'addons',
  subject: { kind: 'Module', namespace: '', name: '001-web' },
  hook: 'modules/001-web/hooks/pods.sh',
  outcome: 'failed',
  message: 'exited with code 3',
  attempt: 2,
})
const stdout = { write: () => undefined, isTerminal: false, columns: 80 }

describe('list of runs', () => {
  const table = { display: { isTerminal: true, columns: 80, limit: 80 }, now, withNamespace: true, none: 'none' }

  it('fits 80 columns whatever the names are', () => {
    const long = run({ hook: 'h'.repeat(60), subject: { kind: 'Deployment', namespace: 'n'.repeat(60), name: 'x' } })
    const lines = listRuns([run(), script, long], 'text', table).split('\n')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
    expect(lines[1]).toMatch(/^30s +rollouts +shop\/web +smoke +succeeded +[0-9a-f]{10}-1$/)
  })

  it('shows control characters instead of obeying them', () => {
    expect(listRuns([run({ hook: 'a\u001b[2Jb' })], 'wide', table)).toContain('a\\u001b[2Jb')
  })
})

describe('filter of runs', () => {
  const wanted = (options: Parameters<typeof readFilter>[0]) =>
    [run(), script].filter(readFilter(options, now)).map(({ surface }) => surface)

  it.each([
    [{ hook: 'smoke' }, ['rollouts']],
    [{ hook: 'pods.sh' }, ['addons']],
    [{ subject: 'deployment/web' }, ['rollouts']],
    [{ subject: 'shop/web' }, ['rollouts']],
    [{ failed: true }, ['addons']],
    [{ since: '10s' }, []],
    [{ since: '5m' }, ['rollouts', 'addons']],
  ])('%j leaves the runs of %j', (options, expected) => expect(wanted(options)).toEqual(expected))

  it('refuses a time that is no duration', () => {
    expect(() => readFilter({ since: 'yesterday' }, now)).toThrow('--since yesterday')
  })
})

describe('run that is meant', () => {
  const runs = [run(), script]

  it.each([
    ['its key', script.key],
    ['its short key', shortKey(script.key)],
    ['the start of its short key', shortKey(script.key).slice(0, 6)],
    ['the name of its Job', `web-pods-${shortKey(script.key)}`],
  ])('is found by %s', (_, meant) => expect(findRun(runs, meant, shortKey)).toBe(script))

  it('is not guessed', () => {
    expect(() => findRun(runs, 'nothing', shortKey)).toThrow('no run is known by the key nothing')
    expect(() => findRun([run(), run({ key: 'rollouts/u-1/5d8c/50%/smoke/2' })], 'rollouts/', shortKey)).toThrow(
      'start of several keys',
    )
  })
})

describe('one run', () => {
  it('has its cause, attempts, outcome, trace and log, safe for a terminal', () => {
    const log = 'no luck\u001b[2J\n'
    const text = shownRun({ stdout }, { ...script, cause: 'Added Pod shop/a', traceId: 'ab12', log }, [
      { ...script, attempt: 1 },
      script,
    ])
    expect(text).toContain('cause     Added Pod shop/a\n')
    expect(text).toContain('attempt   2 (kept: 1 failed, 2 failed)\n')
    expect(text).toContain('outcome   failed after 30 s\nmessage   exited with code 3\n')
    expect(text).toContain('trace     ab12\n')
    expect(text).toContain('\n  no luck\\u001b[2J\n')
  })
})
