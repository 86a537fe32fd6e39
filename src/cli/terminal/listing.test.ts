import { describe, expect, it } from 'vitest'
import { type Listing, list, readFormat } from './listing.ts'

interface Fruit {
  readonly name: string
  readonly weight: number
}
const fruits: Listing<Fruit> = {
  columns: [
    { head: 'name', of: ({ name }) => name },
    { head: 'grams', of: ({ weight }) => String(weight), wide: true },
  ],
  name: ({ name }) => `fruit/${name}`,
  none: 'no fruit',
}
const pipe = { isTerminal: false, columns: 80 }
const items = [{ name: 'fig', weight: 40 }]

describe('a listing', () => {
  it('is a table, a wide table, names, JSON or YAML', () => {
    expect(list(items, readFormat(undefined), fruits, pipe)).toBe('NAME\nfig\n')
    expect(list(items, readFormat('wide'), fruits, pipe)).toBe('NAME   GRAMS\nfig    40\n')
    expect(list(items, readFormat('name'), fruits, pipe)).toBe('fruit/fig\n')
    expect(JSON.parse(list(items, readFormat('json'), fruits, pipe))).toEqual(items)
    expect(list(items, readFormat('yaml'), fruits, pipe)).toBe('- name: fig\n  weight: 40\n')
  })

  it('prints a message for an empty table, but not as JSON or YAML', () => {
    expect(list([], 'text', fruits, pipe)).toBe('no fruit\n')
    expect(list([], 'json', fruits, pipe)).toBe('[]\n')
    expect(list([], 'name', fruits, pipe)).toBe('')
  })

  it('rejects other formats', () => {
    expect(() => readFormat('xml')).toThrow('-o xml: expected json, yaml, wide or name')
  })
})
