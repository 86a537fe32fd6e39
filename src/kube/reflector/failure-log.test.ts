import { expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { FailureLog } from './failure-log.ts'

const refused = { kind: 'refused', code: 403, retryAfter: undefined, message: 'forbidden' } as const
const broken = { kind: 'broken', message: 'connection refused' } as const

/** What is logged, without the debug lines. */
function logged(play: (failures: FailureLog, pass: (seconds: number) => Promise<void>) => Promise<void>) {
  const simulation = createSimulation(1)
  const { log, clock } = simulation.runtime
  return simulation
    .run(() => play(new FailureLog(log, clock), (seconds) => clock.sleep(seconds * 1000)))
    .then(() =>
      simulation.logs
        .filter(({ level }) => level !== 'debug')
        .map(({ level, message, fields }) => [level, message, fields?.['seconds']]),
    )
}

it('logs a failure when it begins, every minute, and when it is over', async () => {
  const lines = await logged(async (failures, pass) => {
    for (let attempt = 0; attempt < 9; attempt++) {
      failures.failed('verifying', broken)
      await pass(10)
    }
    failures.succeeded('waiting')
    failures.succeeded('verifying')
    failures.succeeded('verifying')
  })
  expect(lines).toEqual([
    ['warn', 'list or watch failed', undefined],
    ['warn', 'list or watch failed', 60],
    ['info', 'list works again', 90],
  ])
})

it('logs another reason at once', async () => {
  const lines = await logged(async (failures, pass) => {
    failures.failed('paging', broken)
    await pass(5)
    failures.failed('paging', refused)
  })
  expect(lines).toEqual([
    ['warn', 'list or watch failed', undefined],
    ['warn', 'list or watch failed', 5],
  ])
})

it('does not log a failed watch as recovered when lists succeed', async () => {
  const lines = await logged(async (failures) => {
    failures.failed('watching', refused)
    failures.succeeded('verifying')
    failures.failed('watching', refused)
  })
  expect(lines).toEqual([['warn', 'list or watch failed', undefined]])
})

it('logs the end of a watch and an expired version only as information', async () => {
  const lines = await logged(async (failures) => {
    failures.failed('watching', broken)
    failures.failed('watching', { kind: 'expired' })
    failures.succeeded('watching')
  })
  expect(lines).toEqual([
    ['info', 'list or watch failed', undefined],
    ['info', 'list or watch failed', undefined],
  ])
})
