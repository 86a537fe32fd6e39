/** The example with two schedules of the shell-operator document, verbatim: the hook receives the binding that fired. */
import { expect, it } from 'vitest'
import { twoSchedules } from '../cluster/document-schedules.ts'
import { playScripts } from './scripts.ts'

it.each([
  ['2026-03-04T12:01:58.500Z', '[{"binding":"incremental"}]'],
  ['2026-03-04T23:58:58.500Z', '[{"binding":"schedule"}]'],
])('[addons B6, X2, X3] the example of the document at %s', (start, expected) =>
  playScripts(
    { 'a.sh': { config: JSON.parse(twoSchedules) as object } },
    async (stage) => {
      await stage.start()
      await stage.sleep(4)
      // A star in the seconds field means every second, so three have passed.
      expect(stage.runs.map(({ contexts }) => JSON.stringify(contexts))).toEqual([expected, expected, expected])
    },
    {
      simulation: { start: Date.parse(start) },
      surface: { place: { layout: 'document', workingDir: '/addons' } },
    },
  ),
)

/** Seconds since the start at which the documented examples fire; a star in the seconds field means every second. */
it.each([
  ['*/10 * * * * *', '2026-03-04T12:00:00.500Z', 31, [10, 20, 30]],
  ['* 30 12 * * *', '2026-03-04T12:29:57.500Z', 5, [3, 4, 5]],
  ['* * * * * 1', '2026-03-01T23:59:57.500Z', 5, [3, 4, 5]],
])('[addons K10] the crontab of the document %s', (crontab, start, seconds, expected) =>
  playScripts(
    { 'a.sh': { config: { schedule: [{ crontab }] } } },
    async (stage) => {
      await stage.start()
      await stage.sleep(seconds)
      expect(stage.runs.map(({ at }) => Math.round(at + 0.5))).toEqual(expected)
    },
    { simulation: { start: Date.parse(start) } },
  ),
)
