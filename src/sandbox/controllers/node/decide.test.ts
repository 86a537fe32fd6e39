import { describe, expect, it } from 'vitest'
import type { Lease, Node } from '../../../kube/kinds/index.ts'
import { toleratedFor } from './controller.ts'
import { decideNode } from './decide.ts'

const now = Date.parse('2026-01-01T12:00:00Z')

function node(ready: string, spec: Node['spec'] = {}): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a' },
    spec,
    status: { conditions: [{ type: 'Ready', status: ready }] },
  }
}

function lease(renewTime: string): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'a' },
    spec: { leaseDurationSeconds: 40, renewTime },
  }
}

const fresh = lease('2026-01-01T11:59:50Z')
const stale = lease('2026-01-01T11:59:00Z')
const unreachable = (['NoSchedule', 'NoExecute'] as const).map((effect) => ({
  key: 'node.kubernetes.io/unreachable',
  effect,
}))

describe('a node', () => {
  it('is unchanged while its lease is renewed, and checked when the lease expires', () => {
    expect(decideNode(node('True'), fresh, now)).toEqual({ requeueAfterMs: 40_000 })
  })

  it('gets Unknown conditions and taints when its lease expires', () => {
    const decision = decideNode(node('True'), stale, now)
    expect(decision.conditions).toMatchObject([{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }])
    expect(decision.taints).toMatchObject(unreachable)
  })

  it('loses the taints when its lease is renewed', () => {
    expect(decideNode(node('True', { taints: unreachable }), fresh, now).taints).toEqual([])
  })

  it('is tainted while it is not ready or cordoned', () => {
    expect(decideNode(node('False'), fresh, now).taints?.map(({ key }) => key)).toEqual([
      'node.kubernetes.io/not-ready',
      'node.kubernetes.io/not-ready',
    ])
    expect(decideNode(node('True', { unschedulable: true }), fresh, now).taints).toMatchObject([
      { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
    ])
  })
})

describe('a pod on a tainted node', () => {
  const taints = [{ key: 'k', effect: 'NoExecute', timeAdded: '2026-01-01T11:59:00Z' }]
  it.each([
    [[], 0],
    [[{ key: 'k', operator: 'Exists' }], Number.POSITIVE_INFINITY],
    [[{ key: 'k', operator: 'Exists', tolerationSeconds: 90 }], 30_000],
    [[{ key: 'k', operator: 'Exists', tolerationSeconds: 30 }], 0],
  ])('with %j stays for %s ms', (tolerations, expected) => {
    expect(toleratedFor(taints, tolerations, now)).toBe(expected)
  })
})
