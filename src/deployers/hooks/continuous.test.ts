import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import type { DeployItem } from '../resources/types.ts'
import { continuousReconcileHook, continuousSchedule, nextFromConfiguration } from './continuous.ts'

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`)

function ask(
  now: number,
  continuousReconcile: object | undefined,
  change: Partial<DeployItem['metadata']> = {},
  lastReconcileTime: string | undefined = '2026-03-01T12:00:00Z',
) {
  const deployItem: DeployItem = {
    apiVersion: 'landscaper.gardener.cloud/v1alpha1',
    kind: 'DeployItem',
    metadata: { name: 'one', ...change },
    spec: {
      type: 't',
      config: { apiVersion: 'a/v1', kind: 'C', ...(continuousReconcile ? { continuousReconcile } : {}) } as never,
    },
    status: { phase: 'Succeeded', ...(lastReconcileTime === '' ? {} : { lastReconcileTime }) },
  }
  const { log } = createSimulation(1).runtime
  const signal = new AbortController().signal
  return continuousReconcileHook(nextFromConfiguration)({
    type: 'ShouldReconcile',
    deployItem,
    target: undefined,
    log,
    signal,
    now,
  })
}

describe('continuous reconcile [deployers P1]', () => {
  it('requeues an item that is not due', () => {
    expect(ask(at('12:10:00') + 700, { every: '1h' })).toEqual({
      reconcileResult: { requeueAfterMs: 50 * 60_000 },
      abortReconcile: true,
    })
  })

  it('forces a run of an item that is due, and requeues it for the next one', () => {
    expect(ask(at('13:00:00'), { every: '1h' })).toEqual({
      reconcileResult: { requeueAfterMs: 3_600_000 },
      abortReconcile: false,
    })
  })

  it('counts every from the last run and cron from the clock', () => {
    expect(ask(at('12:10:00'), { cron: '30 12 * * *' })).toEqual({
      reconcileResult: { requeueAfterMs: 20 * 60_000 },
      abortReconcile: true,
    })
    expect(ask(at('12:30:00'), { cron: '30 12 * * *' })).toMatchObject({ abortReconcile: false })
    expect(ask(at('12:30:00'), { cron: '@hourly' })).toMatchObject({ abortReconcile: true })
  })

  it.each([
    ['nothing is configured', undefined, {}],
    ['an empty object is configured', {}, {}],
    ['the time is zero', { every: '0s' }, {}],
    [
      'the annotation says false',
      { every: '1s' },
      { annotations: { 'continuousreconcile.extensions.landscaper.gardener.cloud/active': 'false' } },
    ],
    ['the item is being deleted', { every: '1s' }, { deletionTimestamp: '2026-03-01T12:00:00Z' }],
  ])('has no opinion when %s', (_, spec, metadata) => {
    expect(ask(at('18:00:00'), spec, metadata)).toBeUndefined()
  })

  it('is switched off only by the annotation value false', () => {
    const annotations = { 'continuousreconcile.extensions.landscaper.gardener.cloud/active': 'no' }
    expect(ask(at('18:00:00'), { every: '1s' }, { annotations })).toMatchObject({ abortReconcile: false })
  })

  it('has no opinion on an item without a run [deployers B15]', () => {
    expect(ask(at('18:00:00'), { every: '1s' }, {}, '')).toBeUndefined()
  })

  it.each([
    [{ cron: '* * * * *', every: '1s' }, 'either cron or every'],
    [{ every: 'soon' }, 'continuousReconcile.every: "soon" is not a duration'],
    [{ cron: '1 2 3' }, 'continuousReconcile.cron'],
    [{ cron: '0 0 0 * * *' }, 'has 6 fields'],
  ])('refuses %o', (spec, message) => {
    expect(() => continuousSchedule(spec)).toThrow(message)
  })

  it('rounds down to whole seconds, and to at least one', () => {
    expect(continuousSchedule({ every: '1500ms' })?.next(at('12:00:00') + 900)).toBe(at('12:00:01'))
    expect(continuousSchedule({ every: '10ms' })?.next(at('12:00:00'))).toBe(at('12:00:01'))
    expect(continuousSchedule({ cron: 'CRON_TZ=Asia/Tokyo 0 9 * * *' })?.next(at('12:00:00'))).toBe(
      Date.parse('2026-03-02T00:00:00Z'),
    )
  })
})
