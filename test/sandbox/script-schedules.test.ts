/** Schedule bindings of script hooks. */
import { describe, expect, it } from 'vitest'
import { playScripts } from './scripts.ts'

const at = (start: string) => ({ simulation: { start: Date.parse(start) } })

describe('schedule bindings', () => {
  it('[addons B6, X3] run the hook with the name of the entry that fired', () =>
    playScripts(
      {
        'a.sh': {
          config: {
            schedule: [
              { name: 'incremental', crontab: '0 2 */3 * * *', allowFailure: true },
              { crontab: '0 59 23 * * *' },
            ],
          },
        },
      },
      async ({ start, sleep, runs }) => {
        await start()
        await sleep(5 * 3600)
        const begun = Date.parse('2026-01-01T22:00:00Z')
        const time = (seconds: number) => new Date(begun + seconds * 1000).toISOString().slice(11, 16)
        expect(runs.map(({ at: seconds, contexts }) => [time(seconds), contexts])).toEqual([
          ['23:59', [{ binding: 'schedule' }]],
          ['00:02', [{ binding: 'incremental' }]],
        ])
      },
      at('2026-01-01T22:00:00Z'),
    ))

  it('[addons W19, K11] of v1 hooks have a type, a queue and an order', () =>
    playScripts(
      {
        'b.sh': { config: { configVersion: 'v1', schedule: [{ name: 'b', crontab: '0 * * * * *' }] } },
        'a.sh': {
          config: {
            configVersion: 'v1',
            schedule: [
              { name: 'one', crontab: '0 * * * * *', queue: 'own' },
              { name: 'two', crontab: '0 * * * * *', queue: 'own' },
              { crontab: '0 * * * * *' },
            ],
          },
        },
      },
      async ({ start, sleep, runs }) => {
        await start()
        await sleep(65)
        const found = runs.map(({ hook, contexts }) => [
          hook,
          ...contexts.map(({ binding, type }) => `${type} ${binding}`),
        ])
        expect(found.filter(([, first]) => first === 'Schedule one')).toEqual([
          ['a.sh', 'Schedule one', 'Schedule two'],
        ])
        expect(found.filter(([, first]) => first !== 'Schedule one')).toEqual([
          ['a.sh', 'Schedule schedule'],
          ['b.sh', 'Schedule b'],
        ])
      },
    ))

  it('[addons K10] merge firings of a v1 hook that is slower than its schedule', () =>
    playScripts(
      {
        'a.sh': {
          config: { configVersion: 'v1', schedule: [{ name: 'each second', crontab: '* * * * * *' }] },
          run: async ({ runtime }) => {
            // Never ends exactly when the schedule fires, because the order would be undefined.
            await runtime.clock.sleep(9700)
            return 0
          },
        },
      },
      async ({ start, sleep, runs }) => {
        await start()
        await sleep(35)
        expect(runs.map(({ contexts }) => contexts.length)).toEqual([1, 9, 10, 10])
      },
    ))
})
