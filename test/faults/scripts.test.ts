/**
 * The operator may die at any moment: whoever comes after it tells hooks everything they have not been told, in order. Before and after
 * each run, each write, each metric and each watch event.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { numberFor } from '../replay/numbers.ts'
import { expectSound } from './script-outcome.ts'
import { playScripts } from './script-world.ts'

const number = numberFor('scripts', 1)
const play = (deaths: readonly number[] = []) => playScripts(number, deaths)

const died = new Map<string, number>()
afterAll(() => {
  const counts = [...died].toSorted().map(([moment, count]) => `${moment} ${count}`)
  process.stdout.write(`script hooks, an operator that died: ${counts.join(', ')}\n`)
})

const everyMoment = [
  ...['metric: after', 'metric: before', 'run: after', 'run: before', 'run: begins', 'run: ends'],
  ...['watch event: after', 'watch event: before', 'write: after', 'write: before'],
]

describe('script hooks', () => {
  it('copy everything when nobody dies', async () => {
    const plain = await play()
    expectSound(plain)
    const all = { a: [1, 2, 3, 4, 5], b: [1, 2], c: [1, 2, 3], d: [1] }
    for (const [name, values] of Object.entries(all)) expect(plain.told[`copy ${name}`]).toEqual(values)
    expect([...new Set(plain.moments)].toSorted()).toEqual(everyMoment)
  })

  it('lose nothing and keep the order wherever the operator died', async () => {
    const { moments } = await play()
    for (const [index, moment] of moments.entries()) {
      const disturbed = await play([index + 1])
      expect({ moment, deaths: disturbed.deaths }).toEqual({ moment, deaths: 1 })
      expectSound(disturbed)
      died.set(moment, (died.get(moment) ?? 0) + 1)
    }
    expect([...died.keys()].toSorted()).toEqual(everyMoment)
  }, 300_000)

  it('lose nothing when the one who comes after it dies too', async () => {
    const { moments } = await play()
    for (let moment = 1; moment <= moments.length; moment += 7) {
      const disturbed = await play([moment, moment + 5, moment + 17])
      expect(disturbed.deaths).toBe(3)
      expectSound(disturbed)
    }
  }, 300_000)
})
