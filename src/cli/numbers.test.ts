import { describe, expect, it } from 'vitest'
import { port, seconds, wholeNumber } from './numbers.ts'

describe('numeric options', () => {
  it('must be whole and in the range of the option', () => {
    expect(['0', '7', '12'].map(wholeNumber(0))).toEqual([0, 7, 12])
    for (const text of ['', '-1', '1.5', 'x', '1e3'])
      expect(() => wholeNumber(0)(text)).toThrow('a whole number, 0 or more')
    expect(() => wholeNumber(1)('0')).toThrow('a whole number, 1 or more')
    expect(['0', '65535'].map(port)).toEqual([0, 65_535])
    expect(() => port('65536')).toThrow('a whole number from 0 to 65535')
  })

  it('accept a positive number of seconds', () => {
    expect(['60', '0.5'].map(seconds)).toEqual([60, 0.5])
    for (const text of ['', '0', '-1', '1m', 'soon', 'Infinity'])
      expect(() => seconds(text)).toThrow('a number of seconds, more than 0')
  })
})
