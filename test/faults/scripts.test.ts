/**
 * The operator may die at any moment: whoever comes after it tells hooks everything they have not been told, in order. Before and after
 * each run, each write, each metric and each watch event.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { type Outcome, playScripts } from './script-world.ts'

let runs = 0
afterAll(() => void process.stdout.write(`script hooks: ${runs} runs with an operator that died\n`))

describe('script hooks', () => {
  it('copy everything when nobody dies', async () => {
    const plain = await playScripts(1)
    expectSound(plain)
    expect(plain.told).toEqual({ a: [1, 2, 3, 4, 5], b: [1, 2], c: [1, 2, 3], d: [1] })
    const kinds = new Set(plain.moments)
    expect(kinds).toContain('a run begins')
    expect(kinds).toContain('before a metric')
    expect(kinds).toContain('before a watch event')
    expect([...kinds].some((kind) => kind.startsWith('after P'))).toBe(true)
  })

  it('lose nothing and keep the order wherever the operator died', async () => {
    const { moments } = await playScripts(1)
    for (let moment = 1; moment <= moments.length; moment++) {
      const disturbed = await playScripts(1, moment)
      runs++
      expect({ died: moments[moment - 1], deaths: disturbed.deaths }).toEqual({ died: moments[moment - 1], deaths: 1 })
      expectSound(disturbed)
    }
  }, 300_000)
})

function expectSound({ originals, copies, told, hasStarted }: Outcome): void {
  expect(copies).toEqual(originals)
  expect(originals).toEqual({ a: '5', c: '3', d: '1' })
  expect(hasStarted).toBe(true)
  for (const [name, values] of Object.entries(told)) {
    const inOrder = values.toSorted((one, other) => one - other)
    expect([name, ...values]).toEqual([name, ...inOrder])
  }
}
