/** What must hold in the end, wherever and however often the operator crashed. */
import { expect } from 'vitest'
import type { Outcome } from './script-world.ts'

export function expectSound({ originals, copies, summary, received, hasStarted }: Outcome): void {
  expect(originals).toEqual({ a: '5', c: '3', d: '1' })
  expect(copies).toEqual({ copy: originals, again: originals })
  expect(summary).toEqual(originals)
  expect(hasStarted).toBe(true)
  for (const [subject, values] of Object.entries(received)) {
    const inOrder = values.toSorted((one, other) => one - other)
    expect([subject, ...values]).toEqual([subject, ...inOrder])
  }
}
