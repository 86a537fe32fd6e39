import { describe, expect, it } from 'vitest'
import type { DeployItem, DeployItemStatus } from '../resources/types.ts'
import { annotations } from '../resources/words.ts'
import { prepare, preparedStatus } from './preparation.ts'

const aborted = { operation: 'Abort', reason: 'Aborted', message: '', lastTransitionTime: '', lastUpdateTime: '' }

function item(
  operation: string | undefined,
  status: DeployItemStatus,
  metadata: Partial<DeployItem['metadata']> = {},
): DeployItem {
  const own = operation === undefined ? {} : { [annotations.operation]: operation }
  return {
    apiVersion: 'landscaper.gardener.cloud/v1alpha1',
    kind: 'DeployItem',
    metadata: { name: 'one', generation: 2, ...metadata, annotations: { ...own, ...metadata.annotations } },
    spec: { type: 't' },
    status,
  }
}

const done: DeployItemStatus = { observedGeneration: 2, phase: 'Succeeded' }

describe('preparing', () => {
  it.each([
    ['reconcile', done, true],
    ['test-reconcile', done, true],
    ['force-reconcile', done, true],
    ['abort', done, false],
    [undefined, done, false],
    [undefined, { ...done, observedGeneration: 1 }, true],
    [undefined, {}, true],
    ['abort', { ...done, observedGeneration: 1 }, true],
    ['nonsense', done, false],
  ] as const)('operation %s with %j begins a run: %s [deployers A1 A5 W1]', (operation, status, begins) => {
    expect(prepare(item(operation, status)).because !== undefined).toBe(begins)
  })

  it('writes generation, phase, time and deployer, and keeps the rest [deployers A2]', () => {
    const before = item('reconcile', {
      ...done,
      exportRef: { name: 'e' },
      deployer: { identity: 'i', name: 'n', version: 'v1' },
    })
    expect(
      preparedStatus(before, { identity: 'i', name: 'n', version: 'v2' }, Date.parse('2026-01-01T10:00:00.700Z')),
    ).toEqual({
      observedGeneration: 2,
      phase: 'Init',
      lastReconcileTime: '2026-01-01T10:00:00Z',
      deployer: { identity: 'i', name: 'n', version: 'v2' },
      exportRef: { name: 'e' },
    })
  })

  it('uses up reconcile and every reconcile-time, but neither force-reconcile nor abort [deployers A4 A5]', () => {
    const time = { annotations: { [annotations.reconcileTime]: '2026-01-01T00:00:00Z' } }
    expect(prepare(item('reconcile', done, time)).usedUp).toEqual([annotations.operation, annotations.reconcileTime])
    expect(prepare(item(undefined, done, time)).usedUp).toEqual([annotations.reconcileTime])
    expect(prepare(item('force-reconcile', done)).usedUp).toEqual([])
    expect(prepare(item('abort', { ...done, phase: 'Progressing' })).usedUp).toEqual([])
    expect(prepare(item('abort', done)).usedUp).toEqual([])
  })

  it('prepares an item that waits for its force-reconcile only once', () => {
    expect(prepare(item('force-reconcile', { observedGeneration: 2, phase: 'Init' })).because).toBeUndefined()
  })

  it('clears the time of an earlier abort when a run begins [deployers B1]', () => {
    const stale = { annotations: { [annotations.abortTime]: '2026-01-01T00:00:00Z' } }
    expect(prepare(item('reconcile', done, stale)).usedUp).toContain(annotations.abortTime)
    expect(prepare(item('abort', { observedGeneration: 2, phase: 'Progressing' }, stale)).usedUp).toEqual([])
  })

  it('clears an abort that was heeded, should a crash have come in between [deployers N2]', () => {
    const stamped = { annotations: { [annotations.abortTime]: '2026-01-01T00:00:00Z' } }
    const status: DeployItemStatus = { observedGeneration: 2, phase: 'Failed', lastError: aborted }
    expect(prepare(item('abort', status, stamped)).usedUp).toEqual([annotations.operation, annotations.abortTime])
  })

  it('begins again with an item that was aborted and is to be deleted [deployers N2]', () => {
    const status: DeployItemStatus = { observedGeneration: 2, phase: 'Failed', lastError: aborted }
    const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['finalizer.landscaper.gardener.cloud'] }
    expect(prepare(item(undefined, status, deleted)).because).toBe('the item was aborted and is to be deleted')
    expect(prepare(item(undefined, status, { ...deleted, finalizers: [] })).because).toBeUndefined()
    expect(prepare(item(undefined, status)).because).toBeUndefined()
  })

  it('takes a job that is not finished for one more reason [deployers P7]', () => {
    expect(prepare(item(undefined, { ...done, jobID: 'b', jobIDFinished: 'a' })).because).toBe('job b is not finished')
    expect(prepare(item(undefined, { ...done, jobID: 'b', jobIDFinished: 'b' })).because).toBeUndefined()
    expect(prepare(item(undefined, { ...done, phase: 'Progressing', jobID: 'b' })).because).toBeUndefined()
  })
})
