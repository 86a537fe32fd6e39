/**
 * The operator crashes at any moment while it converges modules, and its successor reaches the same end: before and after each run, each
 * helm call and each write.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { numberFor } from '../replay/numbers.ts'
import { type ModulesOutcome, playModuleCrashes } from './module-world.ts'

const number = numberFor('modules', 1)
const play = (crashes: readonly number[] = []) => playModuleCrashes(number, crashes)

const crashesByMoment = new Map<string, number>()
afterAll(() => {
  const counts = [...crashesByMoment].toSorted().map(([moment, count]) => `${moment} ${count}`)
  process.stdout.write(`modules, crashes of the operator: ${counts.join(', ')}\n`)
})

const everyMoment = ['helm: after', 'helm: before', 'run: after', 'run: before', 'write: after', 'write: before']

function expectSound({ releases, configured, marks }: ModulesOutcome): void {
  const global = { zone: 'b', seen: 'b!', enabledModules: ['web'] }
  expect(releases).toEqual({ web: { global, web: { port: 80, maps: 2 } } })
  expect(configured).toMatchObject({ web: 'port: 80\n', storeEnabled: 'false' })
  // Hooks of the removal run even if the release is already gone when the next operator starts.
  expect(marks['store beforeDeleteHelm']).toBeGreaterThan(0)
  expect(marks['store afterDeleteHelm']).toBeGreaterThan(0)
}

describe('modules', () => {
  it('converge without crashes', async () => {
    const plain = await play()
    expectSound(plain)
    expect(plain.marks['store afterDeleteHelm']).toBe(1)
    expect([...new Set(plain.moments)].toSorted()).toEqual(everyMoment)
  })

  it('reach the same end wherever the operator crashes', async () => {
    const { moments } = await play()
    for (const [index, moment] of moments.entries()) {
      const disturbed = await play([index + 1])
      expect({ moment, crashes: disturbed.crashes }).toEqual({ moment, crashes: 1 })
      expectSound(disturbed)
      crashesByMoment.set(moment, (crashesByMoment.get(moment) ?? 0) + 1)
    }
    expect([...crashesByMoment.keys()].toSorted()).toEqual(everyMoment)
  }, 300_000)

  it('reach the same end when the successor crashes too', async () => {
    const { moments } = await play()
    for (let moment = 1; moment <= moments.length - 12; moment += 3) {
      const disturbed = await play([moment, moment + 3, moment + 10])
      expect(disturbed.crashes).toBe(3)
      expectSound(disturbed)
    }
  }, 300_000)
})
