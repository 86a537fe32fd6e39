import { expect, it } from 'vitest'
import type { Workload } from '../policy/workload.ts'
import { deploymentStrategy } from './deployment.ts'

const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } }
const saved = { minReadySeconds: 0, progressDeadlineSeconds: 600, strategy }
const revision = { name: 'web-2', uid: 'new', number: 2, templateHash: '2', createdAt: 0, annotations: {} }
const target = { kind: 'ReplicaSet', ...revision } as const

/** Told to make one pod more than there should be, of which `status` tells what became. */
function advance(status: object, pods: number, maxSurge: number | string = 1) {
  const spec = { replicas: 4, paused: false, strategy: { rollingUpdate: { maxSurge, maxUnavailable: 0 } } }
  const metadata = { name: 'web', generation: 2, labels: { 'carabiner.dev/hold': 'step' } }
  const workload = { kind: 'Deployment', metadata, spec, status: { observedGeneration: 2, ...status } }
  return deploymentStrategy.advance(
    { workload: workload as unknown as Workload, target, pods: [], saved, now: 0 },
    pods,
  )
}

const surge = (maxSurge: number) => ({
  do: 'patch',
  patch: { spec: { strategy: { rollingUpdate: { maxSurge } } } },
})

it('lets in as many new pods as are missing to the point', () => {
  expect(advance({ replicas: 5, updatedReplicas: 1 }, 2)).toMatchObject(surge(2))
})

it.each([
  ['has not looked yet', { observedGeneration: 1, replicas: 5, updatedReplicas: 1 }],
  ['has not made all pods', { replicas: 4, updatedReplicas: 1 }],
])('lets in no more while the native controller %s', (_, status) => {
  expect(advance(status, 2)).toEqual({ do: 'wait' })
})

it('counts new pods that replaced old ones when the workload was scaled', () => {
  expect(advance({ replicas: 5, updatedReplicas: 2 }, 3)).toMatchObject(surge(2))
})

it('puts its own number in the place of what the owner wrote over it', () => {
  expect(advance({ replicas: 4, updatedReplicas: 0 }, 1, '50%')).toMatchObject(surge(1))
})
