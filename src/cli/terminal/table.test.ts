import { describe, expect, it } from 'vitest'
import { table } from './table.ts'

describe('table', () => {
  it('aligns columns by display width', () => {
    const red = `${String.fromCharCode(27)}[31mweb${String.fromCharCode(27)}[39m`
    expect(
      table(
        ['name', 'state'],
        [
          [red, 'done'],
          ['数据库', 'failed'],
          ['x', ''],
        ],
      ),
    ).toBe(`NAME     STATE\n${red}      done\n数据库   failed\nx\n`)
  })
})
