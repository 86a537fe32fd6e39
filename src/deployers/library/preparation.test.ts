import { describe, expect, it } from 'vitest'
import { annotations } from '../resources/annotations.ts'
import type { DeployItem, DeployItemStatus } from '../resources/types.ts'
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

describe('prepare', () => {
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
    expect(prepare(item(operation, status)).reason !== undefined).toBe(begins)
  })

  it('sets generation, phase, time and deployer, and keeps the other fields [deployers A2]', () => {
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

  it('removes reconcile and reconcile-time annotations, but not force-reconcile and abort [deployers A4 A5]', () => {
    const time = { annotations: { [annotations.reconcileTime]: '2026-01-01T00:00:00Z' } }
    expect(prepare(item('reconcile', done, time)).annotationsToRemove).toEqual([
      annotations.operation,
      annotations.reconcileTime,
    ])
    expect(prepare(item(undefined, done, time)).annotationsToRemove).toEqual([annotations.reconcileTime])
    expect(prepare(item('force-reconcile', done)).annotationsToRemove).toEqual([])
    expect(prepare(item('abort', { ...done, phase: 'Progressing' })).annotationsToRemove).toEqual([])
    expect(prepare(item('abort', done)).annotationsToRemove).toEqual([])
  })

  it('prepares an item with force-reconcile only once', () => {
    expect(prepare(item('force-reconcile', { observedGeneration: 2, phase: 'Init' })).reason).toBeUndefined()
  })

  it('removes the abort-time of an earlier abort when a run begins [deployers B1]', () => {
    const stale = { annotations: { [annotations.abortTime]: '2026-01-01T00:00:00Z' } }
    expect(prepare(item('reconcile', done, stale)).annotationsToRemove).toContain(annotations.abortTime)
    expect(prepare(item('abort', { observedGeneration: 2, phase: 'Progressing' }, stale)).annotationsToRemove).toEqual(
      [],
    )
  })

  it('removes a completed abort that a crash left behind [deployers N2]', () => {
    const stamped = { annotations: { [annotations.abortTime]: '2026-01-01T00:00:00Z' } }
    const status: DeployItemStatus = { observedGeneration: 2, phase: 'Failed', lastError: aborted }
    expect(prepare(item('abort', status, stamped)).annotationsToRemove).toEqual([
      annotations.operation,
      annotations.abortTime,
    ])
  })

  it('begins a new run of a deleted item that was aborted [deployers N2]', () => {
    const status: DeployItemStatus = { observedGeneration: 2, phase: 'Failed', lastError: aborted }
    const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['finalizer.landscaper.gardener.cloud'] }
    expect(prepare(item(undefined, status, deleted)).reason).toBe('the item was aborted and is to be deleted')
    expect(prepare(item(undefined, status, { ...deleted, finalizers: [] })).reason).toBeUndefined()
    expect(prepare(item(undefined, status)).reason).toBeUndefined()
  })

  it('begins a run for an unfinished jobID [deployers P7]', () => {
    expect(prepare(item(undefined, { ...done, jobID: 'b', jobIDFinished: 'a' })).reason).toBe('job b is not finished')
    expect(prepare(item(undefined, { ...done, jobID: 'b', jobIDFinished: 'b' })).reason).toBeUndefined()
    expect(prepare(item(undefined, { ...done, phase: 'Progressing', jobID: 'b' })).reason).toBeUndefined()
  })
})
