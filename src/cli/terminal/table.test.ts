import { describe, expect, it } from 'vitest'
import { table } from './table.ts'

const pipe = { isTerminal: false, columns: 80 }
const terminal = (limit: number) => ({ isTerminal: true, columns: limit, limit })
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length))
const name = 'web-6d4b9c7f58-migrate-1-x8z2k'
const message = 'BackoffLimitExceeded: Job has reached the specified backoff limit'

describe('table', () => {
  it('aligns columns by display width and colours cells without their padding', () => {
    const red = (text: string) => `<${text}>`
    expect(
      table(
        ['name', 'state'],
        [
          [{ text: 'web', paint: red }, 'done'],
          ['数据库', 'failed'],
          [{ text: 'x', branch: '├─ ' }, ''],
        ],
        pipe,
      ),
    ).toBe('NAME     STATE\n<web>      done\n数据库   failed\n├─ x\n')
  })

  it('shows control characters of cells', () => {
    expect(table(['name'], [['a\u001b[31mb\nc']], pipe)).toBe('NAME\na\\u001b[31mb c\n')
  })

  it('is never cut in a pipe', () => {
    expect(table(['name', 'message'], [['n'.repeat(90), 'm'.repeat(90)]], pipe)).toContain(
      `${'n'.repeat(90)}   ${'m'.repeat(90)}`,
    )
  })

  it.each([80, 60, 45])('fits %d columns: names lose their middle, prose its end', (limit) => {
    const text = table(
      ['pod', 'state', { head: 'message', shrinks: 'end' }],
      [[name, 'Failed', message]],
      terminal(limit),
    )
    expect(widest(text)).toBeLessThanOrEqual(limit)
    expect(text).toMatch(/\n(web-\S*…\S*x8z2k|web-6d4b9c7f58-migrate-1-x8z2k) +Failed +Back\S*.*…\n$/)
  })

  it('takes the room that there is', () => {
    expect(table(['pod', 'message'], [[name, message]], terminal(120))).toContain(`${name}   ${message}\n`)
  })

  it('shortens wide characters by their width', () => {
    const text = table(['name', 'x'], [['数'.repeat(20), 'y']], terminal(20))
    expect(text).toContain(`${'数'.repeat(4)}…${'数'.repeat(4)}  y\n`)
  })

  it('has ASCII alone where the reader has no more', () => {
    const text = table(['way'], [[{ text: 'web:1 → web:2', branch: '└─ ' }]], { ...terminal(10), isAscii: true })
    expect(text).toBe('WAY\n`- we..b:2\n')
  })
})
