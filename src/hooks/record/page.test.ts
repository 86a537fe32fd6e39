import { describe, expect, it } from 'vitest'
import { entryKey, isWanted, type JournalEntry } from './entry.ts'
import { pageChanges, pageEntries } from './page.ts'

const entry = (more: Partial<JournalEntry> = {}): JournalEntry => ({
  surface: 'rollouts',
  subject: { kind: 'Deployment', namespace: 'shop', name: 'web' },
  lifecycle: '1a2b',
  revision: { name: 'web-7d9', number: 3 },
  point: '50%',
  hook: 'smoke',
  attempt: 1,
  outcome: 'succeeded',
  endedAt: '2026-01-01T00:00:10.000Z',
  log: 'first line\n\nlast line\n',
  ...more,
})
const added = (...entries: readonly JournalEntry[]) => new Map(entries.map((one) => [entryKey(one), one]))
const dataOf = (changes: Readonly<Record<string, string | null>>) => changes as Record<string, string>

describe('a page of the journal', () => {
  it('reads back the entries that were written, oldest first', () => {
    const later = entry({ hook: 'tell', endedAt: '2026-01-01T00:01:00.000Z', message: 'two\nlines' })
    const data = dataOf(pageChanges({}, added(later, entry())))
    expect(Object.keys(data).toSorted()).toEqual(['1a2b.smoke.1', '1a2b.tell.1'])
    expect(data['1a2b.smoke.1']).toMatch(/^\{"surface":"rollouts".*\}\nfirst line\n\nlast line\n$/)
    expect(pageEntries(data)).toEqual([entry(), later])
  })

  it('is found by hook, and by name, number or id of the revision', () => {
    expect(isWanted(entry(), { hook: 'smoke', revision: '3' })).toBe(true)
    expect(isWanted(entry(), { revision: 'web-7d9' })).toBe(true)
    expect(isWanted(entry(), { revision: '1a2b', lifecycle: '1a2b' })).toBe(true)
    expect(isWanted(entry(), { hook: 'other' })).toBe(false)
    expect(isWanted(entry(), { revision: '4' })).toBe(false)
  })

  it('changes only new entries, and a later entry without a log keeps the stored log', () => {
    const before = dataOf(pageChanges({}, added(entry())))
    expect(pageChanges(before, added(entry()))).toEqual({})
    const { log: _, ...bare } = entry({ outcome: 'failed' })
    expect(pageEntries(dataOf(pageChanges(before, added(bare))))).toEqual([entry({ outcome: 'failed' })])
  })

  it('removes the oldest entries when there are too many entries or bytes', () => {
    const entries = [1, 2, 3].map((attempt) =>
      entry({ attempt, endedAt: `2026-01-01T00:00:0${attempt}.000Z`, log: 'x'.repeat(600) }),
    )
    const before = dataOf(pageChanges({}, added(...entries)))
    const next = entry({ attempt: 4, log: '' })
    expect(pageChanges(before, added(next), { entries: 3, bytes: 1e6 })).toMatchObject({ '1a2b.smoke.1': null })
    const small = pageChanges(before, added(next), { entries: 100, bytes: 1500 })
    expect(small).toMatchObject({ '1a2b.smoke.1': null, '1a2b.smoke.2': null })
    expect(small['1a2b.smoke.4']).toBeDefined()
    expect('1a2b.smoke.3' in small).toBe(false)
  })

  it('has legal keys for any name of a hook, and ignores texts that are no entries', () => {
    expect(entryKey({ ...entry(), lifecycle: 'a', hook: 'global/hooks/01 start.sh', attempt: 2 })).toBe(
      'a.global_hooks_01_start.sh.2',
    )
    expect(pageEntries({ note: 'by hand', other: '{"hook":1}\n' })).toEqual([])
  })
})
