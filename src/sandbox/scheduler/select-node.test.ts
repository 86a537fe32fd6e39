import { describe, expect, it } from 'vitest'
import type { Node, Pod, PodSpec, Taint } from '../../kube/kinds/index.ts'
import { SchedulerCache } from './scheduler-cache.ts'
import { selectNode } from './select-node.ts'

function node(
  name: string,
  facts: { labels?: Record<string, string>; taints?: Taint[]; cpu?: string; pods?: string; cordoned?: boolean } = {},
): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...facts.labels } },
    spec: { ...(facts.taints ? { taints: facts.taints } : {}), ...(facts.cordoned ? { unschedulable: true } : {}) },
    status: { allocatable: { cpu: facts.cpu ?? '4', memory: '8Gi', pods: facts.pods ?? '110' } },
  }
}

function pod(name: string, spec: Partial<PodSpec> = {}, cpu?: string, owner?: string): Pod {
  const requests = cpu === undefined ? {} : { resources: { requests: { cpu } } }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      labels: { app: 'web' },
      ...(owner
        ? { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner, controller: true }] }
        : {}),
    },
    spec: { containers: [{ name: 'c', ...requests }], ...spec },
  }
}

const outcome = (wanted: Pod, nodes: readonly Node[], cache = new SchedulerCache()) => {
  const placement = selectNode(wanted, nodes, (name) => cache.on(name))
  return placement.node ?? placement.message
}

const tail = (nodes: number, text: string) =>
  `no new claims to deallocate, preemption: 0/${nodes} nodes are available: ${text}.`

describe('scheduling a pod', () => {
  it.each<[string, Pod, readonly Node[], string]>([
    ['selects the first node by name when all scores are equal', pod('p'), [node('b'), node('a')], 'a'],
    ['reports that there are no nodes', pod('p'), [], 'no nodes available to schedule pods'],
    [
      'respects the node selector',
      pod('p', { nodeSelector: { disk: 'ssd' } }),
      [node('a'), node('b', { labels: { disk: 'ssd' } })],
      'b',
    ],
    [
      'respects required node affinity by name',
      pod('p', {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
            },
          },
        },
      }),
      [node('a'), node('b')],
      'b',
    ],
    [
      'respects preferred node affinity',
      pod('p', {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 50, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } },
            ],
          },
        },
      }),
      [node('a'), node('b', { labels: { disk: 'x' } })],
      'b',
    ],
    [
      'avoids an untolerated taint',
      pod('p'),
      [node('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] }), node('b')],
      'b',
    ],
    [
      'accepts a tolerated taint',
      pod('p', { tolerations: [{ operator: 'Exists' }] }),
      [node('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] })],
      'a',
    ],
    [
      'reports selectors and taints that exclude nodes',
      pod('p', { nodeSelector: { disk: 'ssd' } }),
      [node('a'), node('b', { taints: [{ key: 'k', effect: 'NoExecute' }] }), node('c', { cordoned: true })],
      `0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. ${tail(3, '3 Preemption is not helpful for scheduling')}`,
    ],
    [
      'reports insufficient resources',
      pod('p', {}, '5'),
      [node('a'), node('b')],
      `0/2 nodes are available: 2 Insufficient cpu. ${tail(2, '2 No preemption victims found for incoming pod')}`,
    ],
  ])('%s', (_, wanted, nodes, expected) => {
    expect(outcome(wanted, nodes)).toBe(expected)
  })

  it('counts assumed pods: requests, number of pods, pods of the same owner', () => {
    const cache = new SchedulerCache()
    cache.put('x', pod('x', {}, '3', 'rs'), 'a')
    expect(outcome(pod('p', {}, '2'), [node('a'), node('b')], cache)).toBe('b')
    expect(outcome(pod('p', {}, '2'), [node('a', { pods: '1' })], cache)).toBe(
      `0/1 nodes are available: 1 Insufficient cpu, 1 Too many pods. ${tail(1, '1 No preemption victims found for incoming pod')}`,
    )
    cache.remove('x')
    expect(outcome(pod('p', {}, '2'), [node('a', { pods: '1' })], cache)).toBe('a')
    cache.put('y', pod('y', {}, '100m', 'rs'), 'a')
    cache.put('z', pod('z', {}, '200m', 'other'), 'b')
    expect(outcome(pod('p', {}, '100m', 'rs'), [node('a'), node('b')], cache)).toBe('b')
  })

  it('respects required pod anti-affinity', () => {
    const antiAffine = pod('p', {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
          ],
        },
      },
    })
    const cache = new SchedulerCache()
    cache.put('x', pod('x'), 'a')
    expect(outcome(antiAffine, [node('a'), node('b')], cache)).toBe('b')
    expect(outcome(antiAffine, [node('a')], cache)).toContain("1 node(s) didn't match pod anti-affinity rules")
  })
})
