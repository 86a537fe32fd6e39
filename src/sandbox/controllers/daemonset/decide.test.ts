import { describe, expect, it } from 'vitest'
import type { Node, Taint } from '../../kinds/cluster.ts'
import type { Pod } from '../../kinds/pod.ts'
import type { DaemonSet } from '../../kinds/workload.ts'
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
const fresh: Facts = { hash: 'new' }
const surge = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
const unavailable = (maxUnavailable: number | string) => ({ rollingUpdate: { maxUnavailable } })

describe('the steady part', () => {
  it.each<[string, DaemonWorld, readonly string[]]>([
    ['fills nodes that have none', world([pod('a')]), ['+b', '+c']],
    ['replaces a failed pod once it is gone', world([pod('a', { state: 'failed' }), pod('b'), pod('c')]), ['-a-old']],
    ['removes a finished pod', world([pod('a', { state: 'succeeded' }), pod('b'), pod('c')]), ['-a-old']],
    ['waits for a pod on its way out', world([pod('a', { state: 'deleting' }), pod('b'), pod('c')]), []],
    [
      'keeps the oldest of two',
      world([pod('a'), pod('a', { name: 'twin', createdAt: '2026-01-02T00:00:00Z' }), pod('b'), pod('c')]),
      ['-twin'],
    ],
    [
      'lets a surge pair be until the new one is available',
      world([pod('a'), pod('a', { ...fresh, state: 'unready' }), pod('b'), pod('c')], surge),
      [],
    ],
    [
      'ends a surge pair when the new one is available',
      world([pod('a'), pod('a', fresh), pod('b'), pod('c')], surge),
      ['-a-old'],
    ],
    [
      'avoids a node with a taint it does not tolerate',
      world([], {}, [node('a', [{ key: 'gpu', effect: 'NoSchedule' }]), node('b')]),
      ['+b'],
    ],
    [
      'stays on a node that was tainted later',
      world([pod('a')], {}, [node('a', [{ key: 'gpu', effect: 'NoSchedule' }])]),
      [],
    ],
    [
      'leaves a node that sends pods away',
      world([pod('a')], {}, [node('a', [{ key: 'gpu', effect: 'NoExecute' }])]),
      ['-a-old'],
    ],
    [
      'stays on a node that is not ready',
      world([pod('a')], {}, [node('a', [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }])]),
      [],
    ],
  ])('%s', (_, one, expected) => {
    expect(shown(manage(one, now))).toEqual(expected)
  })

  it('leaves a failed pod alone during its back-off', () => {
    const one = { ...world([pod('a', { state: 'failed' }), pod('b'), pod('c')]), backOff: () => 3000 }
    expect(manage(one, now)).toMatchObject({ remove: [], wakeAfter: 3000 })
  })
})

describe('a rolling update', () => {
  const old = [pod('a'), pod('b'), pod('c')]
  it.each<[string, DaemonWorld, readonly string[]]>([
    ['takes one at a time', world(old), ['-a-old']],
    ['takes as many as may be missing', world(old, unavailable('50%')), ['-a-old', '-b-old']],
    ['waits for the one that is missing', world([pod('a', { ...fresh, state: 'unready' }), pod('b'), pod('c')]), []],
    ['counts a pod on its way out as missing', world([pod('a', { state: 'deleting' }), pod('b'), pod('c')]), []],
    [
      'replaces old pods that are not available in any case',
      world([pod('a', { ...fresh, state: 'unready' }), pod('b', { state: 'unready' }), pod('c')]),
      ['-b-old'],
    ],
    ['is left to others under OnDelete', world(old, { type: 'OnDelete' }), []],
    ['puts a new pod beside an old one', world(old, surge), ['+a']],
    [
      'waits for the surge to be available',
      world([pod('a'), pod('a', { ...fresh, state: 'unready' }), pod('b'), pod('c')], surge),
      [],
    ],
    [
      'takes the old one when the new one is available',
      world([pod('a'), pod('a', fresh), pod('b'), pod('c')], surge),
      ['+b', '-a-old'],
    ],
  ])('%s', (_, one, expected) => {
    expect(shown(roll(one, now))).toEqual(expected)
  })
})

it('counts per node', () => {
  const one = world([pod('a', fresh), pod('b', { state: 'unready' }), pod('d')], {}, [
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

it('pins its pods to their node', () => {
  const made = daemonPod(world([]).set, 'new', 'b')
  expect(targetNode(made)).toBe('b')
  expect(made.metadata.labels).toEqual({ app: 'agent', 'controller-revision-hash': 'new' })
})
