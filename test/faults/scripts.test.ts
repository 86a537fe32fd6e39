/**
 * The operator crashes at any moment, and its successor runs hooks for all events that they have not got, in order: before and after each
 * run, each write, each metric and each watch event.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { numberFor } from '../replay/numbers.ts'
import { expectSound } from './script-outcome.ts'
import { playScripts } from './script-world.ts'

const number = numberFor('scripts', 1)
const play = (crashes: readonly number[] = []) => playScripts(number, crashes)

const crashesByMoment = new Map<string, number>()
afterAll(() => {
  const counts = [...crashesByMoment].toSorted().map(([moment, count]) => `${moment} ${count}`)
  process.stdout.write(`script hooks, crashes of the operator: ${counts.join(', ')}\n`)
})

const everyMoment = [
  ...['metric: after', 'metric: before', 'run: after', 'run: before', 'run: begins', 'run: ends'],
  ...['watch event: after', 'watch event: before', 'write: after', 'write: before'],
]

describe('script hooks', () => {
  it('copy everything without crashes', async () => {
    const plain = await play()
    expectSound(plain)
    const all = { a: [1, 2, 3, 4, 5], b: [1, 2], c: [1, 2, 3], d: [1] }
    for (const [name, values] of Object.entries(all)) expect(plain.received[`copy ${name}`]).toEqual(values)
    expect([...new Set(plain.moments)].toSorted()).toEqual(everyMoment)
  })

  it('lose nothing and keep the order wherever the operator crashes', async () => {
    const { moments } = await play()
    for (const [index, moment] of moments.entries()) {
      const disturbed = await play([index + 1])
      expect({ moment, crashes: disturbed.crashes }).toEqual({ moment, crashes: 1 })
      expectSound(disturbed)
      crashesByMoment.set(moment, (crashesByMoment.get(moment) ?? 0) + 1)
    }
    expect([...crashesByMoment.keys()].toSorted()).toEqual(everyMoment)
  }, 300_000)

  it('lose nothing when the successor crashes too', async () => {
    const { moments } = await play()
    for (let moment = 1; moment <= moments.length; moment += 7) {
      const disturbed = await play([moment, moment + 5, moment + 17])
      expect(disturbed.crashes).toBe(3)
      expectSound(disturbed)
    }
  }, 300_000)
})
