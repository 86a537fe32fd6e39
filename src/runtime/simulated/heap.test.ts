import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Entry, TimerHeap } from './heap.ts'

describe('TimerHeap', () => {
  it('returns entries by due time, then lot, then age', () => {
    const entry = fc.record({ due: fc.integer({ min: 0, max: 5 }), lot: fc.integer({ min: 0, max: 2 }) })
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 200 }), (entries) => {
        const heap = new TimerHeap<Entry>()
        const all = entries.map(({ due, lot }, sequence) => ({
          due,
          lot,
          sequence,
          dead: false,
        }))
        for (const one of all) heap.push(one)
        const out = all.map(() => heap.pop())
        expect(heap.pop()).toBeUndefined()
        expect(out).toEqual([...all].sort((a, b) => a.due - b.due || a.lot - b.lot || a.sequence - b.sequence))
      }),
    )
  })

  it('never returns cancelled entries and removes them in time', () => {
    const heap = new TimerHeap<Entry>()
    for (let sequence = 0; sequence < 10_000; sequence++) {
      const entry = { due: sequence, lot: 0, sequence, dead: false }
      heap.push(entry)
      if (sequence % 100 === 0) continue
      entry.dead = true
      heap.cancelled()
    }
    expect(heap.size).toBeLessThan(400)
    const out: number[] = []
    for (let next = heap.pop(); next !== undefined; next = heap.pop()) out.push(next.due)
    expect(out).toEqual(Array.from({ length: 100 }, (_, index) => index * 100))
  })
})
