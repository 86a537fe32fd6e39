import { describe, expect, it } from 'vitest'
import type { KeyBlock } from '../watching/key-blocks.ts'
import type { SeenObject } from '../watching/monitor.ts'
import type { Piece } from './json-pieces.ts'
import { type SnapshotSource, Snapshots } from './snapshots.ts'

const text = (pieces: readonly Piece[]) =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : new TextDecoder().decode(piece))).join('')

/** One block for each list of objects. */
class Source implements SnapshotSource {
  readonly #objects: Map<KeyBlock, readonly SeenObject[]>
  readonly asked: string[] = []

  constructor(...lists: readonly (readonly SeenObject[])[]) {
    this.#objects = new Map(lists.map((seen) => [{ keys: seen.map(({ key }) => key) }, seen]))
  }

  get blocks(): KeyBlock[] {
    return [...this.#objects.keys()]
  }

  objectsOf(block: KeyBlock): readonly SeenObject[] {
    this.asked.push(block.keys.join())
    return this.#objects.get(block) ?? []
  }

  replace(block: KeyBlock, seen: readonly SeenObject[]): void {
    const changed = [...this.#objects].map(([key, value]) =>
      key === block ? ([{ ...key }, seen] as const) : ([key, value] as const),
    )
    this.#objects.clear()
    for (const [key, value] of changed) this.#objects.set(key, value)
  }
}

const one = (key: string, result: string): SeenObject => ({ key, result, whole: undefined })

describe('Snapshots', () => {
  it('are built of blocks, of which only those that changed are built again', () => {
    const filtered = new Source([one('a', '1'), one('b', '{}')], [], [one('c', '3')])
    const snapshots = new Snapshots()
    for (let run = 0; run < 100; run++)
      expect(text(snapshots.of(filtered))).toBe('[{"filterResult":1},{"filterResult":{}},{"filterResult":3}]')
    expect(filtered.asked).toEqual(['a,b', '', 'c'])
    filtered.replace(filtered.blocks[2] as KeyBlock, [one('c', '4')])
    expect(text(snapshots.of(filtered))).toBe('[{"filterResult":1},{"filterResult":{}},{"filterResult":4}]')
    expect(filtered.asked).toEqual(['a,b', '', 'c', 'c'])
  })

  it('contain the bytes of full objects without a copy', () => {
    const whole = new TextEncoder().encode('{"kind":"Pod"}')
    const plain = { key: 'b', result: undefined, whole }
    const pieces = new Snapshots().of(new Source([{ key: 'a', result: '1', whole }, plain], [plain, plain]))
    expect(pieces.filter((piece) => piece === whole)).toHaveLength(4)
    const [object, other] = ['{"object":{"kind":"Pod"},"filterResult":1}', '{"object":{"kind":"Pod"}}']
    expect(text(pieces)).toBe(`[${[object, other, other, other].join()}]`)
  })

  it('are empty arrays for sources without objects', () => {
    expect(text(new Snapshots().of(new Source()))).toBe('[]')
    expect(text(new Snapshots().of(new Source([], [])))).toBe('[]')
  })
})
