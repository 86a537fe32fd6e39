import { expect, it } from 'vitest'
import type { Pod, PodDisruptionBudget } from '../../../kube/kinds/index.ts'
import { decideBudget, failedBudget } from './decide.ts'

const now = Date.parse('2026-01-01T12:00:00Z')

function pod(name: string, ready = true): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [] },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  }
}

function budget(spec: PodDisruptionBudget['spec'], disruptedPods?: Record<string, string>): PodDisruptionBudget {
  const status = {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...(disruptedPods ? { disruptedPods } : {}),
  }
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b', generation: 1 }, spec, status }
}

const pods = [pod('a'), pod('b'), pod('c', false)]

it.each<[string, PodDisruptionBudget['spec'], number, object]>([
  [
    'maxUnavailable as a number',
    { maxUnavailable: 2 },
    3,
    { disruptionsAllowed: 1, desiredHealthy: 1, expectedPods: 3 },
  ],
  ['maxUnavailable as a percentage', { maxUnavailable: '50%' }, 3, { disruptionsAllowed: 1, desiredHealthy: 1 }],
  ['minAvailable as a number', { minAvailable: 2 }, 0, { disruptionsAllowed: 0, desiredHealthy: 2, expectedPods: 3 }],
  ['minAvailable as a percentage', { minAvailable: '50%' }, 3, { disruptionsAllowed: 0, desiredHealthy: 2 }],
])('computes allowed disruptions from %s', (_, spec, scale, expected) => {
  expect(decideBudget(budget(spec), pods, scale, now).status).toMatchObject({ currentHealthy: 2, ...expected })
})

it('counts an allowed eviction until the pod terminates or two minutes have passed', () => {
  const granted = budget(
    { minAvailable: 1 },
    { a: '2026-01-01T11:59:00Z', gone: '2026-01-01T11:59:00Z', b: '2026-01-01T11:00:00Z' },
  )
  const { status, requeueAfterMs } = decideBudget(granted, pods, 0, now)
  expect(status).toMatchObject({
    currentHealthy: 1,
    disruptionsAllowed: 0,
    disruptedPods: { a: '2026-01-01T11:59:00Z' },
  })
  expect(requeueAfterMs).toBe(60_000)
})

it('allows no disruption when the expected pod count is unknown', () => {
  expect(failedBudget(budget({ maxUnavailable: 1 }), 'no scale', now)).toMatchObject({
    disruptionsAllowed: 0,
    conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'no scale' }],
  })
})
