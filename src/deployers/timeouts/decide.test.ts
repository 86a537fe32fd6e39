import { describe, expect, it } from 'vitest'
import { annotations } from '../resources/annotations.ts'
import type { DeployItem, DeployItemStatus } from '../resources/types.ts'
import { decideTimeouts, defaultTimeouts } from './decide.ts'

const start = Date.parse('2021-03-24T12:31:21Z')
const at = (seconds: number) => start + seconds * 1000
const time = (seconds: number) => `${new Date(at(seconds)).toISOString().slice(0, 19)}Z`
const { operation, reconcileTime, abortTime } = annotations

function decide(
  seconds: number,
  own: Record<string, string>,
  status: DeployItemStatus | undefined,
  {
    timeout,
    isTargetMissing = false,
    ...config
  }: { timeout?: string; pickup?: number; abort?: number; progressingDefault?: number; isTargetMissing?: boolean } = {},
) {
  const item: DeployItem = {
    apiVersion: 'landscaper.gardener.cloud/v1alpha1',
    kind: 'DeployItem',
    metadata: { name: 'one', namespace: 'here', generation: 1, annotations: own },
    spec: { type: 't', ...(timeout === undefined ? {} : { timeout }) },
    ...(status === undefined ? {} : { status }),
  }
  return decideTimeouts(item, { ...defaultTimeouts, ...config }, { now: at(seconds), isTargetMissing })
}

describe('pickup', () => {
  const waiting = { [operation]: 'reconcile', [reconcileTime]: time(0) }

  it('fails after 300 seconds with the message of the Landscaper documentation [deployers T2]', () => {
    expect(decide(300, waiting, undefined)).toEqual({
      status: {
        observedGeneration: 0,
        phase: 'Failed',
        lastError: {
          codes: ['ERR_TIMEOUT'],
          lastTransitionTime: '2021-03-24T12:36:21Z',
          lastUpdateTime: '2021-03-24T12:36:21Z',
          message: 'no deployer has reconciled this deployitem within 300 seconds',
          operation: 'WaitingForPickup',
          reason: 'PickupTimeout',
        },
      },
    })
  })

  it('fails an item that had ended before, and keeps its observedGeneration [deployers T2]', () => {
    const { status } = decide(301, waiting, { observedGeneration: 7, phase: 'Succeeded' })
    expect(status).toMatchObject({ phase: 'Failed', observedGeneration: 7 })
  })

  it('does not count once a deployer has begun, even with the annotation present [deployers T2]', () => {
    const status: DeployItemStatus = { observedGeneration: 1, phase: 'Init', lastReconcileTime: time(400) }
    expect(decide(401, waiting, status).status).toBeUndefined()
    expect(decide(401, waiting, { ...status, lastReconcileTime: time(0) }).status?.phase).toBe('Failed')
  })

  it('names a missing target', () => {
    const { status } = decide(300, waiting, undefined, { isTargetMissing: true })
    expect(status?.lastError?.message).toBe(
      'no deployer has reconciled this deployitem within 300 seconds, probably because the referenced Target does not exist',
    )
  })

  it('ignores an item that already failed with a pickup timeout [deployers T3]', () => {
    const { status } = decide(300, waiting, undefined)
    expect(decide(4000, waiting, status)).toEqual({})
  })

  it('requeues the item 5 seconds after the timeout [deployers T8]', () => {
    expect(decide(100, waiting, undefined)).toEqual({ after: 205_000 })
  })

  it('throws when the time is invalid [deployers T7]', () => {
    expect(() => decide(0, { [reconcileTime]: 'yesterday' }, undefined)).toThrow(
      'DeployItem here/one: annotation landscaper.gardener.cloud/reconcile-time is not a time: "yesterday"',
    )
  })
})

describe('progressing', () => {
  it.each(['Init', 'Progressing', 'Deleting'] as const)(
    'aborts an item that is %s after ten minutes [deployers T4]',
    (phase) => {
      expect(decide(600, {}, { phase, lastReconcileTime: time(0) })).toEqual({
        annotations: { [operation]: 'abort', [abortTime]: time(600) },
      })
      expect(decide(599, {}, { phase, lastReconcileTime: time(0) })).toEqual({ after: 6000 })
    },
  )

  it('ignores items that have ended or never begun [deployers T4]', () => {
    expect(decide(6000, {}, { phase: 'Succeeded', lastReconcileTime: time(0) })).toEqual({})
    expect(decide(6000, {}, { phase: 'Progressing' })).toEqual({})
  })

  it('sets the abort time of an overdue item only once [deployers B2]', () => {
    const stamped = { [operation]: 'abort', [abortTime]: time(600) }
    expect(decide(700, stamped, { phase: 'Progressing', lastReconcileTime: time(0) })).toEqual({ after: 205_000 })
  })

  it.each([
    [undefined, 600_000, 700, true],
    ['none', 600_000, 700, false],
    ['0s', 600_000, 700, false],
    ['1h', 600_000, 700, false],
    ['10s', 600_000, 11, true],
    [undefined, 0, 7000, false],
    ['10s', 0, 11, true],
  ])(
    'with timeout %s and default %s it is overdue after %s s: %s [deployers T6]',
    (timeout, progressingDefault, seconds, isOverdue) => {
      const options = timeout === undefined ? { progressingDefault } : { progressingDefault, timeout }
      const decision = decide(seconds, {}, { phase: 'Progressing', lastReconcileTime: time(0) }, options)
      expect(decision.annotations !== undefined).toBe(isOverdue)
    },
  )
})

describe('abort', () => {
  const stamped = { [operation]: 'abort', [abortTime]: time(0) }
  const busy: DeployItemStatus = { observedGeneration: 1, phase: 'Progressing' }

  it('fails after 300 seconds [deployers T5]', () => {
    expect(decide(300, stamped, busy)).toEqual({
      status: {
        observedGeneration: 1,
        phase: 'Failed',
        lastError: {
          codes: ['ERR_TIMEOUT'],
          lastTransitionTime: '2021-03-24T12:36:21Z',
          lastUpdateTime: '2021-03-24T12:36:21Z',
          message: 'deployer has not aborted progressing this deploy item within 300 seconds',
          operation: 'WaitingForAbort',
          reason: 'AbortingTimeout',
        },
      },
    })
  })

  it('is removed when the item has ended; another operation is kept [deployers T5 B1]', () => {
    expect(decide(1, stamped, { phase: 'Failed' })).toEqual({ annotations: { [operation]: null, [abortTime]: null } })
    expect(decide(1, { ...stamped, [operation]: 'reconcile' }, { phase: 'Failed' })).toEqual({
      annotations: { [abortTime]: null },
    })
    expect(decide(1, { [operation]: 'abort' }, { phase: 'Failed' })).toEqual({})
  })

  it('does not time out without a time or when switched off [deployers T6]', () => {
    expect(decide(9000, { [operation]: 'abort' }, busy)).toEqual({})
    expect(decide(9000, stamped, busy, { abort: 0 })).toEqual({})
    expect(decide(9000, { [reconcileTime]: time(0) }, undefined, { pickup: 0 })).toEqual({})
  })

  it('requeues the item for the earliest of all timeouts [deployers T8]', () => {
    const status: DeployItemStatus = { phase: 'Progressing', lastReconcileTime: time(0) }
    expect(decide(10, { ...stamped, [reconcileTime]: time(5) }, status)).toEqual({ after: 295_000 })
    expect(decide(10, stamped, status, { timeout: '20s' })).toEqual({ after: 15_000 })
  })
})
