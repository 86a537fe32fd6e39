import { describe, expect, it } from 'vitest'
import { displayOf } from './display.ts'

const terminal = { isTTY: true, columns: 120 }
const on = (stream: object, env: Record<string, string> = {}, colour: 'auto' | 'always' | 'never' = 'auto') =>
  displayOf({ stream, env, colour })

describe('colours', () => {
  it.each([
    ['a terminal', terminal, {}, 'auto', true],
    ['a pipe', {}, {}, 'auto', false],
    ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, 'auto', false],
    ['a terminal with an empty NO_COLOR', terminal, { NO_COLOR: '' }, 'auto', true],
    ['a dumb terminal', terminal, { TERM: 'dumb' }, 'auto', false],
    ['a pipe with --color always', {}, { NO_COLOR: '1' }, 'always', true],
    ['a terminal with --color never', terminal, {}, 'never', false],
  ] as const)('on %s', (...[, stream, env, colour, expected]) => {
    expect(on(stream, env, colour).hasColours).toBe(expected)
  })
})

describe('width', () => {
  it('limits tables on a terminal alone', () => {
    expect(on(terminal)).toMatchObject({ columns: 120, limit: 120, isTerminal: true })
    expect(on({})).toMatchObject({ columns: 80, limit: Number.POSITIVE_INFINITY, isTerminal: false })
    expect(on(terminal, { TERM: 'dumb' })).toMatchObject({ limit: 120, isTerminal: false })
  })

  it('follows a terminal that is resized', () => {
    const stream = { isTTY: true, columns: 120 }
    const display = on(stream)
    stream.columns = 60
    expect([display.columns, display.limit]).toEqual([60, 60])
  })
})

it.each([
  [{}, false],
  [{ LANG: 'de_DE.UTF-8' }, false],
  [{ LANG: 'C.utf8' }, false],
  [{ LC_ALL: 'C', LANG: 'de_DE.UTF-8' }, true],
  [{ LC_ALL: '', LANG: 'POSIX' }, true],
  [{ LC_CTYPE: 'en_US.UTF-8', LANG: 'C' }, false],
  [{ TERM: 'dumb', LANG: 'de_DE.UTF-8' }, true],
])('%j has ASCII only: %s', (env, expected) =>
  expect(on(terminal, env as Record<string, string>).isAscii).toBe(expected),
)
