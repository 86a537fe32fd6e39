import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeyBlocks } from './key-blocks.ts'

const keysOf = (blocks: KeyBlocks) => [...blocks].flatMap(({ keys }) => keys)
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `a/${String(index).padStart(5, '0')}`)

describe('KeyBlocks', () => {
  it('orders by namespace, then by name, whatever order keys come and leave in', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '0'), minLength: 1, maxLength: 3 })
    const key = fc.tuple(name, name).map((parts) => parts.join('/'))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), key), { maxLength: 2000, size: 'max' }), (steps) => {
        const blocks = new KeyBlocks()
        const expected = new Set<string>()
        for (const [isThere, one] of steps) {
          if (isThere) blocks.touch(one)
          else blocks.remove(one)
          if (isThere) expected.add(one)
          else expected.delete(one)
        }
        const ordered = [...expected].map((one) => one.split('/')).sort(byParts)
        expect(keysOf(blocks)).toEqual(ordered.map((parts) => parts.join('/')))
      }),
      { numRuns: 50 },
    )
  })

  it('stay small, and full when keys come in order', () => {
    const blocks = new KeyBlocks()
    for (const key of numbered(10_000)) blocks.touch(key)
    expect(keysOf(blocks)).toEqual(numbered(10_000))
    expect([...blocks].map(({ keys }) => keys.length)).toEqual([...Array.from({ length: 39 }, () => 256), 16])
    const backwards = new KeyBlocks()
    for (const key of numbered(10_000).toReversed()) backwards.touch(key)
    expect(keysOf(backwards)).toEqual(numbered(10_000))
    expect(Math.max(...[...backwards].map(({ keys }) => keys.length))).toBeLessThanOrEqual(256)
  })

  it('replaces the block of a key that changed, and no other', () => {
    const blocks = new KeyBlocks()
    for (const key of numbered(1000)) blocks.touch(key)
    for (const change of [
      () => blocks.touch('a/00300'),
      () => blocks.touch('a/00300b'),
      () => blocks.remove('a/00300'),
    ]) {
      const before = [...blocks]
      change()
      const kept = [...blocks].filter((block) => before.includes(block))
      expect(kept.length).toBe(before.length - 1)
      expect(kept.some(({ keys }) => keys.includes('a/00301'))).toBe(false)
    }
    const before = [...blocks]
    blocks.remove('b/none')
    expect([...blocks]).toEqual(before)
  })
})

function byParts([namespace = '', name = '']: string[], [otherNamespace = '', otherName = '']: string[]): number {
  if (namespace !== otherNamespace) return namespace < otherNamespace ? -1 : 1
  return name < otherName ? -1 : name > otherName ? 1 : 0
}
