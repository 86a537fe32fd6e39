import { expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { Complaints } from './complaints.ts'

const refused = { kind: 'refused', code: 403, retryAfter: undefined, message: 'forbidden' } as const
const broken = { kind: 'broken', message: 'connection refused' } as const

/** What is logged, without the debug lines. */
function told(play: (complaints: Complaints, pass: (seconds: number) => Promise<void>) => Promise<void>) {
  const simulation = createSimulation(1)
  const { log, clock } = simulation.runtime
  return simulation
    .run(() => play(new Complaints(log, clock), (seconds) => clock.sleep(seconds * 1000)))
    .then(() =>
      simulation.logs
        .filter(({ level }) => level !== 'debug')
        .map(({ level, message, fields }) => [level, message, fields?.['seconds']]),
    )
}

it('trouble is told when it begins, every minute, and when it is over', async () => {
  const lines = await told(async (complaints, pass) => {
    for (let attempt = 0; attempt < 9; attempt++) {
      complaints.failed('doubting', broken)
      await pass(10)
    }
    complaints.succeeded('waiting')
    complaints.succeeded('doubting')
    complaints.succeeded('doubting')
  })
  expect(lines).toEqual([
    ['warn', 'list or watch failed', undefined],
    ['warn', 'list or watch failed', 60],
    ['info', 'list works again', 90],
  ])
})

it('another reason is told at once', async () => {
  const lines = await told(async (complaints, pass) => {
    complaints.failed('paging', broken)
    await pass(5)
    complaints.failed('paging', refused)
  })
  expect(lines).toEqual([
    ['warn', 'list or watch failed', undefined],
    ['warn', 'list or watch failed', 5],
  ])
})

it('a watch that is refused does not work again because lists do', async () => {
  const lines = await told(async (complaints) => {
    complaints.failed('watching', refused)
    complaints.succeeded('doubting')
    complaints.failed('watching', refused)
  })
  expect(lines).toEqual([['warn', 'list or watch failed', undefined]])
})

it('the end of a watch and a version that is forgotten are no trouble', async () => {
  const lines = await told(async (complaints) => {
    complaints.failed('watching', broken)
    complaints.failed('watching', { kind: 'expired' })
    complaints.succeeded('watching')
  })
  expect(lines).toEqual([
    ['info', 'list or watch failed', undefined],
    ['info', 'list or watch failed', undefined],
  ])
})
