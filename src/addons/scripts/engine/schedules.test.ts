import { describe, expect, it } from 'vitest'
import { createSimulation, type Domain } from '../../../runtime/simulated/index.ts'
import { Schedules } from './schedules.ts'

interface Stage {
  readonly schedules: Schedules
  readonly domain: Domain
  /** Wall-clock times, as `12:30:00 name`. */
  readonly fired: string[]
  /** Returns a function that removes the schedule. */
  add(crontab: string, name: string): () => void
  sleep(seconds: number): Promise<void>
}

function play(start: string, scenario: (stage: Stage) => Promise<void>): Promise<void> {
  const simulation = createSimulation(1, { start: Date.parse(start) })
  return simulation.run(async () => {
    const domain = simulation.domain('main')
    const { clock } = domain.runtime
    const schedules = new Schedules(clock)
    const fired: string[] = []
    await scenario({
      schedules,
      domain,
      fired,
      add: (crontab, name) =>
        schedules.add(crontab, () => fired.push(`${new Date(clock.now()).toISOString().slice(11, 19)} ${name}`)),
      sleep: (seconds) => clock.sleep(seconds * 1000),
    })
    schedules.stop()
  })
}

describe('Schedules', () => {
  it('[addons K11] fires due schedules in the order they were added', () =>
    play('2026-03-01T12:29:50Z', async ({ add, fired, sleep }) => {
      add('0 30 12 * * *', 'a')
      add('0 */10 * * * *', 'b')
      add('0 30 12 * * *', 'c')
      await sleep(660)
      expect(fired).toEqual(['12:30:00 a', '12:30:00 b', '12:30:00 c', '12:40:00 b'])
    }))

  it('removes only the given entry of a crontab', () =>
    play('2026-03-01T12:00:00Z', async ({ add, fired, sleep }) => {
      const end = add('@every 10s', 'a')
      add('@every 10s', 'b')
      const endAnother = add('@every 15s', 'c')
      await sleep(12)
      end()
      endAnother()
      await sleep(20)
      expect(fired).toEqual(['12:00:10 a', '12:00:10 b', '12:00:20 b', '12:00:30 b'])
    }))

  it('[addons K7] counts @every from the registration', () =>
    play('2026-03-01T12:00:00.400Z', async ({ add, fired, sleep }) => {
      await sleep(2)
      add('@every 25s', 'a')
      await sleep(80)
      expect(fired).toEqual(['12:00:27 a', '12:00:52 a', '12:01:17 a'])
    }))

  it('fires a schedule once after the clock jumped forward past it', () =>
    play('2026-03-01T12:00:00Z', async ({ add, fired, sleep, domain }) => {
      add('0 0 * * * *', 'hourly')
      await sleep(30)
      domain.jumpClock(3 * 3_600_000)
      await sleep(60)
      // The clock is checked once a minute.
      expect(fired).toEqual(['15:01:00 hourly'])
      await sleep(3600)
      expect(fired.slice(1)).toEqual(['16:00:00 hourly'])
    }))

  it('follows a clock that was set back, without repeating a recent call', () =>
    play('2026-03-01T12:59:59Z', async ({ add, fired, sleep, domain }) => {
      add('0 0 * * * *', 'hourly')
      add('@every 1h', 'interval')
      await sleep(2)
      domain.jumpClock(-5000)
      await sleep(30)
      expect(fired).toEqual(['13:00:00 hourly'])
      domain.jumpClock(-10 * 3_600_000)
      await sleep(3700)
      expect(fired[1]).toBe('04:00:00 hourly')
      expect(fired[2]).toMatch(/^04:0\d:\d\d interval$/)
      expect(fired).toHaveLength(3)
    }))

  it('skips a local time that daylight saving time skips', () =>
    play('2026-03-28T00:00:00Z', async ({ add, fired, sleep }) => {
      add('TZ=Europe/Berlin 0 30 2 * * *', 'night')
      await sleep(3 * 86_400)
      expect(fired).toEqual(['01:30:00 night', '00:30:00 night'])
    }))

  it('does not loop for a date that does not exist', () =>
    play('2026-03-01T12:00:00Z', async ({ add, fired, sleep }) => {
      add('0 0 0 30 2 *', 'never')
      await sleep(86_400)
      expect(fired).toEqual([])
    }))
})
