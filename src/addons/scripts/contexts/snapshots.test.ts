import { describe, expect, it } from 'vitest'
import type { SeenObject } from '../watching/monitor.ts'
import type { Piece } from './json-pieces.ts'
import { Snapshots } from './snapshots.ts'

const text = (pieces: readonly Piece[]) =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : new TextDecoder().decode(piece))).join('')

function source({ keepsObjects }: { keepsObjects: boolean }, ...seen: SeenObject[]) {
  return {
    keepsObjects,
    changes: 0,
    asked: 0,
    objects() {
      this.asked++
      return seen
    },
  }
}

describe('Snapshots', () => {
  it('are cached until the source changes', () => {
    const filtered = source(
      { keepsObjects: false },
      { key: 'a', result: '1', whole: undefined },
      { key: 'b', result: '{}', whole: undefined },
    )
    const snapshots = new Snapshots()
    for (let run = 0; run < 100; run++)
      expect(text(snapshots.of(filtered))).toBe('[{"filterResult":1},{"filterResult":{}}]')
    expect(filtered.asked).toBe(1)
    filtered.changes++
    snapshots.of(filtered)
    expect(filtered.asked).toBe(2)
  })

  it('contain the bytes of full objects without a copy', () => {
    const whole = new TextEncoder().encode('{"kind":"Pod"}')
    const pieces = new Snapshots().of(
      source({ keepsObjects: true }, { key: 'a', result: '1', whole }, { key: 'b', result: undefined, whole }),
    )
    expect(pieces.filter((piece) => piece === whole)).toHaveLength(2)
    expect(text(pieces)).toBe('[{"object":{"kind":"Pod"},"filterResult":1},{"object":{"kind":"Pod"}}]')
  })

  it('are empty arrays for sources without objects', () => {
    expect(text(new Snapshots().of(source({ keepsObjects: true })))).toBe('[]')
    expect(text(new Snapshots().of(source({ keepsObjects: false })))).toBe('[]')
  })
})
