/**
 * The operator may die at any moment while it converges modules: whoever comes after it brings everything to the same end, before and after each
 * run, each call of helm and each write.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { numberFor } from '../replay/numbers.ts'
import { type ModulesOutcome, playModuleDeaths } from './module-world.ts'

const number = numberFor('modules', 1)
const play = (deaths: readonly number[] = []) => playModuleDeaths(number, deaths)

const died = new Map<string, number>()
afterAll(() => {
  const counts = [...died].toSorted().map(([moment, count]) => `${moment} ${count}`)
  process.stdout.write(`modules, an operator that died: ${counts.join(', ')}\n`)
})

const everyMoment = ['helm: after', 'helm: before', 'run: after', 'run: before', 'write: after', 'write: before']

function expectSound({ releases, configured, marks }: ModulesOutcome): void {
  const global = { zone: 'b', seen: 'b!', enabledModules: ['web'] }
  expect(releases).toEqual({ web: { global, web: { port: 80, maps: 2 } } })
  expect(configured).toMatchObject({ web: 'port: 80\n', storeEnabled: 'false' })
  // What belongs to the end of a module happens, though the module has no release any more when the next operator starts.
  expect(marks['store beforeDeleteHelm']).toBeGreaterThan(0)
  expect(marks['store afterDeleteHelm']).toBeGreaterThan(0)
}

describe('modules', () => {
  it('converge when nobody dies', async () => {
    const plain = await play()
    expectSound(plain)
    expect(plain.marks['store afterDeleteHelm']).toBe(1)
    expect([...new Set(plain.moments)].toSorted()).toEqual(everyMoment)
  })

  it('come to the same end wherever the operator died', async () => {
    const { moments } = await play()
    for (const [index, moment] of moments.entries()) {
      const disturbed = await play([index + 1])
      expect({ moment, deaths: disturbed.deaths }).toEqual({ moment, deaths: 1 })
      expectSound(disturbed)
      died.set(moment, (died.get(moment) ?? 0) + 1)
    }
    expect([...died.keys()].toSorted()).toEqual(everyMoment)
  }, 300_000)

  it('come to the same end when the one who comes after it dies too', async () => {
    const { moments } = await play()
    for (let moment = 1; moment <= moments.length - 12; moment += 3) {
      const disturbed = await play([moment, moment + 3, moment + 10])
      expect(disturbed.deaths).toBe(3)
      expectSound(disturbed)
    }
  }, 300_000)
})
