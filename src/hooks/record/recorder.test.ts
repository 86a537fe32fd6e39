import { describe, expect, it } from 'vitest'
import type { EventInput } from '../../kube/events/event.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { objectName, type Run, runKey } from '../run/index.ts'
import { keyOfAttempt, shortKey, traceIdOf } from './ids.ts'
import { RunMemory } from './memory.ts'
import { Recorder } from './recorder.ts'

const run: Run = {
  surface: 'deployers',
  subject: { kind: 'DeployItem', namespace: 'shop', name: 'cart', uid: 'u-1' },
  lifecycle: '3',
  point: 'BeforeReconcile',
  hook: 'ticket',
  attempt: 2,
}
const key = runKey(run)
const regarding = { apiVersion: 'landscaper.gardener.cloud/v1alpha1', kind: 'DeployItem', name: 'cart' }

function record(work: (recorder: Recorder, sleep: (milliseconds: number) => Promise<void>) => Promise<void>) {
  const simulation = createSimulation(1)
  const memory = new RunMemory()
  const events: EventInput[] = []
  return simulation.run(async () => {
    const { runtime } = simulation
    const recorder = new Recorder(runtime, {
      memory,
      failures: { events: { record: (_, event) => void events.push(event) }, regarding },
    })
    await work(recorder, (milliseconds) => runtime.clock.sleep(milliseconds))
    return { memory, events, logs: simulation.logs, spans: simulation.spans, metrics: await runtime.metrics.render() }
  })
}

describe('recorder', () => {
  it('names a run by the same key in memory, log, event and span', async () => {
    const { memory, events, logs, spans, metrics } = await record(async (recorder, sleep) => {
      await recorder.during(run, async () => {
        recorder.started({ run, action: 'process', cause: 'change of the spec' })
        await sleep(1500)
      })
      recorder.ended({ run, action: 'process', outcome: 'failed', message: 'exit code 3', log: 'no luck\n' })
    })
    expect(memory.list()).toEqual([
      {
        ...{ key, surface: 'deployers', lifecycle: '3', point: 'BeforeReconcile', hook: 'ticket', attempt: 2 },
        subject: { kind: 'DeployItem', namespace: 'shop', name: 'cart' },
        ...{
          action: 'process',
          cause: 'change of the spec',
          outcome: 'failed',
          message: 'exit code 3',
          log: 'no luck\n',
        },
        startedAt: '2026-01-01T00:00:00.000Z',
        endedAt: '2026-01-01T00:00:01.500Z',
      },
    ])
    expect(logs.map(({ level, message, fields }) => [level, message, fields['run']])).toEqual([
      ['debug', 'run started', key],
      ['warn', 'run failed', key],
    ])
    expect(events).toEqual([expect.objectContaining({ type: 'Warning', reason: 'HookFailed' })])
    expect(events[0]?.note).toContain(key)
    expect(spans).toMatchObject([{ name: 'hook ticket', traceId: traceIdOf(key), attributes: { run: key } }])
    expect(metrics).toContain('carabiner_hook_runs_total{surface="deployers",action="process",outcome="failed"} 1')
    expect(metrics).toContain('carabiner_hook_run_duration_seconds_sum{surface="deployers",action="process"} 1.5')
  })

  it('removes credentials from messages and logs, wherever they are recorded, and cuts long messages', async () => {
    const message = `refused: Authorization: Bearer abcdefghijk ${'x'.repeat(100_000)}`
    const { memory, events, logs, spans } = await record(async (recorder) => {
      recorder.ended({ run, action: 'job', outcome: 'failed', message, log: 'Bearer abcdefghijk\n' })
    })
    const recorded = JSON.stringify([memory.list(), events, logs, spans])
    expect(recorded).not.toContain('abcdefghijk')
    expect(recorded.length).toBeLessThan(30_000)
  })

  it('shows a run as running until it ends', async () => {
    const { memory } = await record(async (recorder) => recorder.started({ run, action: 'job' }))
    expect(memory.list()).toMatchObject([{ key, outcome: 'running' }])
  })

  it('exports a span for a run that the cluster carried out', async () => {
    const { spans } = await record(async (recorder, sleep) => {
      recorder.started({ run, action: 'job' })
      await sleep(1000)
      recorder.ended({ run, action: 'job', outcome: 'failed', message: 'BackoffLimitExceeded' })
    })
    expect(spans).toMatchObject([
      { traceId: traceIdOf(key), failure: 'BackoffLimitExceeded', attributes: { run: key } },
    ])
  })
})

describe('run memory', () => {
  const ended = (surface: string, number: number, log = '') => ({
    ...({
      key: `${surface}/${number}`,
      run: { ...run, surface },
      action: 'process',
      outcome: 'succeeded',
      log,
    } as const),
    ...{ cause: undefined, revision: undefined, startedAt: undefined, message: undefined, traceId: undefined },
    endedAt: number,
  })

  it('removes the oldest runs of a surface, and none of another', () => {
    const memory = new RunMemory({ runs: 2, characters: 1000 })
    memory.ended(ended('rollouts', 0))
    for (const number of [1, 2, 3]) memory.ended(ended('addons', number))
    expect(memory.list().map((one) => one.key)).toEqual(['rollouts/0', 'addons/2', 'addons/3'])
  })

  it('is bounded in the characters of logs', () => {
    const memory = new RunMemory({ runs: 10, characters: 100 })
    for (const number of [1, 2, 3]) memory.ended(ended('addons', number, 'x'.repeat(50)))
    expect(memory.list().map((one) => one.key)).toEqual(['addons/2', 'addons/3'])
  })
})

describe('short key', () => {
  it('is the end of the name of the object that carries the run out', () => {
    expect(objectName(run).endsWith(shortKey(key))).toBe(true)
  })

  it('differs between attempts only in the number', () => {
    expect(shortKey(keyOfAttempt(key, 3))).toBe(shortKey(key).replace(/-2$/, '-3'))
  })
})
