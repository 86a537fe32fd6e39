import { describe, expect, it } from 'vitest'
import type { Pod, ReplicaSet } from '../../../kube/kinds/index.ts'
import { decideReplicas, type ReplicaSetWorld, replicaSetStatus } from './decide.ts'

const now = Date.parse('2026-01-01T12:00:00Z')

function pod(
  name: string,
  facts: { phase?: string; node?: string; readyAt?: string; cost?: string; restarts?: number; createdAt?: string } = {},
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: name,
      labels: { app: 'web' },
      creationTimestamp: facts.createdAt ?? '2026-01-01T00:00:00Z',
      ...(facts.cost ? { annotations: { 'controller.kubernetes.io/pod-deletion-cost': facts.cost } } : {}),
    },
    spec: { containers: [], ...(facts.node === undefined ? { nodeName: 'n' } : { nodeName: facts.node }) },
    status: {
      phase: facts.phase ?? 'Running',
      ...(facts.readyAt ? { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: facts.readyAt }] } : {}),
      containerStatuses: [{ name: 'c', ready: true, restartCount: facts.restarts ?? 0, image: '', imageID: '' }],
    },
  }
}

function world(replicas: number, active: readonly Pod[], spec: Partial<ReplicaSet['spec']> = {}): ReplicaSetWorld {
  const replicaSet: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', uid: 'r', generation: 3 },
    spec: {
      replicas,
      selector: {},
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [] } },
      ...spec,
    },
  }
  return { replicaSet, active, terminating: [], related: () => active }
}

const ready = '2026-01-01T00:00:10Z'

describe('replicas', () => {
  it('creates missing pods, at most 500 at once', () => {
    expect(decideReplicas(world(3, [pod('a')]), now)).toEqual({ create: 2, remove: [] })
    expect(decideReplicas(world(900, []), now).create).toBe(500)
  })

  it('does nothing while it is being deleted', () => {
    const deleting = world(3, [])
    deleting.replicaSet.metadata.deletionTimestamp = 'x'
    expect(decideReplicas(deleting, now)).toEqual({ create: 0, remove: [] })
  })

  it.each<[string, Pod, Pod]>([
    ['without a node before those with one', pod('first', { node: '' }), pod('other')],
    ['pending before running', pod('first', { phase: 'Pending' }), pod('other')],
    ['not ready before ready', pod('first'), pod('other', { readyAt: ready })],
    [
      'with lower deletion cost before higher',
      pod('first', { readyAt: ready, cost: '-5' }),
      pod('other', { readyAt: ready }),
    ],
    [
      'with shorter ready time before longer',
      pod('first', { readyAt: '2026-01-01T11:59:00Z' }),
      pod('other', { readyAt: ready }),
    ],
    ['with more restarts before fewer', pod('first', { restarts: 3 }), pod('other', { restarts: 1 })],
    ['younger before older', pod('first', { createdAt: '2026-01-01T11:59:00Z' }), pod('other')],
  ])('deletes pods %s', (_, first, other) => {
    expect(decideReplicas(world(1, [other, first]), now).remove).toEqual([first])
    expect(decideReplicas(world(1, [first, other]), now).remove).toEqual([first])
  })

  it('deletes from the node with more related pods first', () => {
    const [lone, dense, neighbour] = [
      pod('lone', { node: 'a' }),
      pod('dense', { node: 'b' }),
      pod('neighbour', { node: 'b' }),
    ]
    const two = { ...world(1, [lone, dense]), related: () => [lone, dense, neighbour] }
    expect(decideReplicas(two, now).remove).toEqual([dense])
  })
})

describe('status', () => {
  it('counts pods and omits zeros', () => {
    const pods = [pod('a', { readyAt: '2026-01-01T11:59:50Z' }), pod('b')]
    expect(replicaSetStatus(world(2, pods, { minReadySeconds: 30 }), undefined, now)).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 1,
      terminatingReplicas: 0,
      observedGeneration: 3,
    })
    expect(replicaSetStatus(world(2, pods, { minReadySeconds: 10 }), undefined, now).availableReplicas).toBe(1)
  })

  it('sets ReplicaFailure on failure and removes it on success', () => {
    const failed = replicaSetStatus(world(2, []), 'quota', now)
    expect(failed.conditions).toEqual([
      {
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: 'quota',
        lastTransitionTime: '2026-01-01T12:00:00Z',
      },
    ])
    const again = world(2, [])
    const failing = { ...again, replicaSet: { ...again.replicaSet, status: failed } }
    expect(replicaSetStatus(failing, undefined, now).conditions).toBeUndefined()
  })
})
