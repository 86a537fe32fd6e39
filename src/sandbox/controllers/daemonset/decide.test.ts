import { describe, expect, it } from 'vitest'
import type { DaemonSet, Node, Pod, Taint } from '../../../kube/kinds/index.ts'
import { type DaemonWorld, manage } from './manage.ts'
import { roll } from './roll.ts'
import { daemonSetStatus } from './status.ts'
import { daemonPod, targetNode } from './template.ts'

const now = Date.parse('2026-01-01T12:00:00Z')

function node(name: string, taints?: readonly Taint[]): Node {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: taints ? { taints } : {} }
}

type Facts = {
  readonly hash?: string
  readonly state?: 'ready' | 'unready' | 'deleting' | 'failed' | 'succeeded'
  readonly name?: string
  readonly createdAt?: string
}

function pod(
  on: string,
  { hash = 'old', state = 'ready', name = `${on}-${hash}`, createdAt = '2026-01-01T00:00:00Z' }: Facts = {},
): Pod {
  const phases: Record<string, string> = { failed: 'Failed', succeeded: 'Succeeded' }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'n',
      uid: name,
      creationTimestamp: createdAt,
      labels: { 'controller-revision-hash': hash },
      ...(state === 'deleting' ? { deletionTimestamp: 'x' } : {}),
    },
    spec: { nodeName: on, containers: [] },
    status: {
      phase: phases[state] ?? 'Running',
      conditions: [{ type: 'Ready', status: state === 'ready' ? 'True' : 'False', lastTransitionTime: createdAt }],
    },
  }
}

function world(
  pods: readonly Pod[],
  strategy: DaemonSet['spec']['updateStrategy'] = {},
  nodes: readonly Node[] = [node('a'), node('b'), node('c')],
): DaemonWorld {
  const set: DaemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'n', uid: 'd', generation: 4 },
    spec: {
      selector: {},
      template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [] } },
      updateStrategy: { type: 'RollingUpdate', ...strategy },
    },
  }
  return { set, nodes, pods, hash: 'new', backOff: () => 0 }
}

const shown = ({ create, remove }: { create: readonly string[]; remove: readonly Pod[] }) => [
  ...create.map((name) => `+${name}`),
  ...remove.map(({ metadata }) => `-${metadata.name}`),
]
const updated: Facts = { hash: 'new' }
const surge = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
const unavailable = (maxUnavailable: number | string) => ({ rollingUpdate: { maxUnavailable } })

describe('pods per node', () => {
  it.each<[string, DaemonWorld, readonly string[]]>([
    ['creates missing pods', world([pod('a')]), ['+b', '+c']],
    [
      'deletes a failed pod before it is replaced',
      world([pod('a', { state: 'failed' }), pod('b'), pod('c')]),
      ['-a-old'],
    ],
    ['removes a finished pod', world([pod('a', { state: 'succeeded' }), pod('b'), pod('c')]), ['-a-old']],
    ['waits for a terminating pod', world([pod('a', { state: 'deleting' }), pod('b'), pod('c')]), []],
    [
      'keeps the oldest of two pods',
      world([pod('a'), pod('a', { name: 'second', createdAt: '2026-01-02T00:00:00Z' }), pod('b'), pod('c')]),
      ['-second'],
    ],
    [
      'keeps old and new pod with surge until the new one is available',
      world([pod('a'), pod('a', { ...updated, state: 'unready' }), pod('b'), pod('c')], surge),
      [],
    ],
    [
      'deletes the old pod with surge when the new one is available',
      world([pod('a'), pod('a', updated), pod('b'), pod('c')], surge),
      ['-a-old'],
    ],
    [
      'creates no pod on a node with an untolerated taint',
      world([], {}, [node('a', [{ key: 'gpu', effect: 'NoSchedule' }]), node('b')]),
      ['+b'],
    ],
    [
      'keeps a pod on a node with a later NoSchedule taint',
      world([pod('a')], {}, [node('a', [{ key: 'gpu', effect: 'NoSchedule' }])]),
      [],
    ],
    [
      'deletes a pod on a node with a NoExecute taint',
      world([pod('a')], {}, [node('a', [{ key: 'gpu', effect: 'NoExecute' }])]),
      ['-a-old'],
    ],
    [
      'keeps a pod on a node that is not ready',
      world([pod('a')], {}, [node('a', [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }])]),
      [],
    ],
  ])('%s', (_, one, expected) => {
    expect(shown(manage(one, now))).toEqual(expected)
  })

  it('keeps a failed pod during the back-off', () => {
    const one = { ...world([pod('a', { state: 'failed' }), pod('b'), pod('c')]), backOff: () => 3000 }
    expect(manage(one, now)).toMatchObject({ remove: [], requeueAfterMs: 3000 })
  })
})

describe('a rolling update', () => {
  const old = [pod('a'), pod('b'), pod('c')]
  it.each<[string, DaemonWorld, readonly string[]]>([
    ['deletes one old pod at a time', world(old), ['-a-old']],
    ['deletes as many old pods as maxUnavailable allows', world(old, unavailable('50%')), ['-a-old', '-b-old']],
    ['waits for an unavailable new pod', world([pod('a', { ...updated, state: 'unready' }), pod('b'), pod('c')]), []],
    ['counts a terminating pod as unavailable', world([pod('a', { state: 'deleting' }), pod('b'), pod('c')]), []],
    [
      'always deletes unavailable old pods',
      world([pod('a', { ...updated, state: 'unready' }), pod('b', { state: 'unready' }), pod('c')]),
      ['-b-old'],
    ],
    ['does nothing with OnDelete', world(old, { type: 'OnDelete' }), []],
    ['creates a surge pod next to an old one', world(old, surge), ['+a']],
    [
      'waits until the surge pod is available',
      world([pod('a'), pod('a', { ...updated, state: 'unready' }), pod('b'), pod('c')], surge),
      [],
    ],
    [
      'deletes the old pod when the surge pod is available',
      world([pod('a'), pod('a', updated), pod('b'), pod('c')], surge),
      ['+b', '-a-old'],
    ],
  ])('%s', (_, one, expected) => {
    expect(shown(roll(one, now))).toEqual(expected)
  })
})

it('counts pods per node in the status', () => {
  const one = world([pod('a', updated), pod('b', { state: 'unready' }), pod('d')], {}, [
    node('a'),
    node('b'),
    node('c'),
    node('d', [{ key: 'x', effect: 'NoSchedule' }]),
  ])
  expect(daemonSetStatus(one, undefined, true, now)).toEqual({
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    desiredNumberScheduled: 3,
    numberReady: 1,
    observedGeneration: 4,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
  })
})

it('binds pods to their node by affinity', () => {
  const made = daemonPod(world([]).set, 'new', 'b')
  expect(targetNode(made)).toBe('b')
  expect(made.metadata.labels).toEqual({ app: 'agent', 'controller-revision-hash': 'new' })
})
