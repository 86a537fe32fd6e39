import { describe, expect, it } from 'vitest'
import { printable, printableLine } from './printable.ts'

describe('printable text', () => {
  it('shows escape sequences instead of obeying them', () => {
    expect(printable('\u001b[31mred\u001b[0m\n\tok\r\n')).toBe('\\u001b[31mred\\u001b[0m\n\tok\n')
    expect(printable('back\rfront\u0007\u009b')).toBe('back\\u000dfront\\u0007\\u009b')
  })

  it('shows characters that change the direction of text', () => {
    expect(printable('a\u202eb')).toBe('a\\u202eb')
  })

  it('is one line where a cell is needed', () => {
    expect(printableLine('two\n  lines 中')).toBe('two lines 中')
  })
})
