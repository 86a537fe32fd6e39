import { describe, expect, it } from 'vitest'
import type { Node, Taint } from '../kinds/cluster.ts'
import type { Pod, PodSpec } from '../kinds/pod.ts'
import { place } from './decide.ts'
import { Ledger } from './ledger.ts'

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

const outcome = (wanted: Pod, nodes: readonly Node[], ledger = new Ledger()) => {
  const placement = place(wanted, nodes, (name) => ledger.on(name))
  return placement.node ?? placement.message
}

const tail = (nodes: number, text: string) =>
  `no new claims to deallocate, preemption: 0/${nodes} nodes are available: ${text}.`

describe('placing a pod', () => {
  it.each<[string, Pod, readonly Node[], string]>([
    ['takes the first name when all are alike', pod('p'), [node('b'), node('a')], 'a'],
    ['says when there is no node', pod('p'), [], 'no nodes available to schedule pods'],
    [
      'follows the node selector',
      pod('p', { nodeSelector: { disk: 'ssd' } }),
      [node('a'), node('b', { labels: { disk: 'ssd' } })],
      'b',
    ],
    [
      'follows required node affinity by name',
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
      'prefers what the pod prefers',
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
      'avoids a taint it does not tolerate',
      pod('p'),
      [node('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] }), node('b')],
      'b',
    ],
    [
      'tolerates',
      pod('p', { tolerations: [{ operator: 'Exists' }] }),
      [node('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] })],
      'a',
    ],
    [
      'explains selectors and taints',
      pod('p', { nodeSelector: { disk: 'ssd' } }),
      [node('a'), node('b', { taints: [{ key: 'k', effect: 'NoExecute' }] }), node('c', { cordoned: true })],
      `0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. ${tail(3, '3 Preemption is not helpful for scheduling')}`,
    ],
    [
      'explains lacking room',
      pod('p', {}, '5'),
      [node('a'), node('b')],
      `0/2 nodes are available: 2 Insufficient cpu. ${tail(2, '2 No preemption victims found for incoming pod')}`,
    ],
  ])('%s', (_, wanted, nodes, expected) => {
    expect(outcome(wanted, nodes)).toBe(expected)
  })

  it('counts what is booked: room, number of pods, siblings', () => {
    const ledger = new Ledger()
    ledger.put('x', pod('x', {}, '3', 'rs'), 'a')
    expect(outcome(pod('p', {}, '2'), [node('a'), node('b')], ledger)).toBe('b')
    expect(outcome(pod('p', {}, '2'), [node('a', { pods: '1' })], ledger)).toBe(
      `0/1 nodes are available: 1 Insufficient cpu, 1 Too many pods. ${tail(1, '1 No preemption victims found for incoming pod')}`,
    )
    ledger.remove('x')
    expect(outcome(pod('p', {}, '2'), [node('a', { pods: '1' })], ledger)).toBe('a')
    ledger.put('y', pod('y', {}, '100m', 'rs'), 'a')
    ledger.put('z', pod('z', {}, '200m', 'other'), 'b')
    expect(outcome(pod('p', {}, '100m', 'rs'), [node('a'), node('b')], ledger)).toBe('b')
  })

  it('keeps required anti-affinity apart', () => {
    const apart = pod('p', {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
          ],
        },
      },
    })
    const ledger = new Ledger()
    ledger.put('x', pod('x'), 'a')
    expect(outcome(apart, [node('a'), node('b')], ledger)).toBe('b')
    expect(outcome(apart, [node('a')], ledger)).toContain("1 node(s) didn't match pod anti-affinity rules")
  })
})
