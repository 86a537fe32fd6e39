import { describe, expect, it } from 'vitest'
import type { Deployment, ReplicaSet } from '../../../kube/kinds/index.ts'
import type { Write } from '../decisions/decision.ts'
import { type DeploymentWorld, decideDeployment } from './decide.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

type Strategy = NonNullable<Deployment['spec']['strategy']>

function deployment(
  spec: Partial<Deployment['spec']> = {},
  image = 'new',
  status: Deployment['status'] = {},
): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'd', generation: 2, resourceVersion: '1' },
    spec: {
      replicas: 10,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } },
      ...spec,
    },
    status,
  }
}

interface Size {
  readonly spec: number
  readonly available?: number
  readonly replicas?: number
  readonly desired?: number
  readonly max?: number
  readonly revision?: number
  readonly createdAt?: string
}

function replicaSet(image: string, size: Size): ReplicaSet {
  const labels = { app: 'web', 'pod-template-hash': image }
  const available = size.available ?? size.spec
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `web-${image}`,
      namespace: 'shop',
      uid: image,
      generation: 1,
      creationTimestamp: size.createdAt ?? (image === 'old' ? '2025-01-01T00:00:00Z' : '2025-06-01T00:00:00Z'),
      labels,
      annotations: {
        'deployment.kubernetes.io/revision': String(size.revision ?? (image === 'old' ? 1 : 2)),
        'deployment.kubernetes.io/desired-replicas': String(size.desired ?? 10),
        'deployment.kubernetes.io/max-replicas': String(size.max ?? 13),
      },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true }],
    },
    spec: {
      replicas: size.spec,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image }] } },
    },
    status: {
      replicas: size.replicas ?? size.spec,
      availableReplicas: available,
      readyReplicas: available,
      observedGeneration: 1,
      terminatingReplicas: 0,
    },
  }
}

function decide(deployed: Deployment, replicaSets: readonly ReplicaSet[], world: Partial<DeploymentWorld> = {}) {
  return decideDeployment(
    { deployment: deployed, replicaSets, podsOf: () => [], named: () => undefined, ...world },
    now,
  )
}

/** Sizes written, in order: `web-old 10→8`. */
function sizes(writes: readonly Write[]): readonly string[] {
  return writes.flatMap((write) =>
    (write.verb === 'create' || write.verb === 'update') && write.object.kind === 'ReplicaSet'
      ? [
          `${write.verb === 'create' ? 'create' : write.object.metadata.name} ${(write.object as ReplicaSet).spec.replicas}`,
        ]
      : [],
  )
}

function statusOf(writes: readonly Write[]): Deployment['status'] {
  const last = writes.at(-1)
  return last?.verb === 'update' && last.subresource === 'status' ? (last.object as Deployment).status : undefined
}

const reasons = (writes: readonly Write[]) =>
  Object.fromEntries(
    (statusOf(writes)?.conditions ?? []).map(({ type, status, reason }) => [type, `${status}/${reason}`]),
  )

const rolling = (maxSurge: number | string, maxUnavailable: number | string): { strategy: Strategy } => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
})

describe('rolling update', () => {
  it.each<[string, Strategy, readonly ReplicaSet[], readonly string[]]>([
    [
      'creates the new ReplicaSet with the surge and scales down old ones in the same sync',
      rolling('25%', '25%').strategy,
      [replicaSet('old', { spec: 10 })],
      ['create 3', 'web-old 8'],
    ],
    [
      'creates an empty new ReplicaSet without surge and scales down old ones',
      rolling(0, 1).strategy,
      [replicaSet('old', { spec: 10 })],
      ['create 0', 'web-old 9'],
    ],
    [
      'allows one unavailable pod when both limits round to 0',
      rolling('0%', '5%').strategy,
      [replicaSet('old', { spec: 10 })],
      ['create 0', 'web-old 9'],
    ],
    [
      'waits until the new pods are available',
      rolling(1, 0).strategy,
      [replicaSet('old', { spec: 10 }), replicaSet('new', { spec: 1, available: 0 })],
      [],
    ],
    [
      'removes one old pod per available new pod',
      rolling(1, 0).strategy,
      [replicaSet('old', { spec: 10 }), replicaSet('new', { spec: 1 })],
      ['web-old 9'],
    ],
    [
      'scales up the new ReplicaSet before it scales down old ones',
      rolling(1, 0).strategy,
      [replicaSet('old', { spec: 9 }), replicaSet('new', { spec: 1 })],
      ['web-new 2'],
    ],
    [
      'removes unavailable old pods first',
      rolling('25%', '25%').strategy,
      [replicaSet('old', { spec: 10, available: 7 }), replicaSet('new', { spec: 3, available: 0 })],
      ['web-old 8'],
    ],
    [
      'keeps old pods while a ReplicaSet status counts more available pods than its spec',
      rolling(1, 2).strategy,
      [replicaSet('old', { spec: 8, available: 10 }), replicaSet('new', { spec: 3, available: 3 })],
      [],
    ],
    [
      'scales down a new ReplicaSet that is too large',
      rolling(1, 0).strategy,
      [replicaSet('new', { spec: 12 })],
      ['web-new 10'],
    ],
  ])('%s', (_, strategy, replicaSets, expected) => {
    expect(sizes(decide(deployment({ strategy }), replicaSets).writes)).toEqual(expected)
  })

  it('names, labels and annotates the new ReplicaSet', () => {
    const deployed = deployment()
    deployed.metadata.annotations = { team: 'a', 'kubectl.kubernetes.io/last-applied-configuration': '{}' }
    const [create, eventWrite] = decide(deployed, [replicaSet('old', { spec: 10, revision: 7 })]).writes
    expect(create).toMatchObject({
      verb: 'create',
      object: {
        metadata: {
          name: expect.stringMatching(/^web-[bcdfghjklmnpqrstvwxz2456789]{10}$/),
          annotations: {
            team: 'a',
            'deployment.kubernetes.io/revision': '8',
            'deployment.kubernetes.io/desired-replicas': '10',
            'deployment.kubernetes.io/max-replicas': '13',
          },
          ownerReferences: [{ uid: 'd', controller: true, blockOwnerDeletion: true }],
        },
      },
    })
    const object = create?.verb === 'create' ? (create.object as ReplicaSet) : undefined
    expect(Object.keys(object?.metadata.annotations ?? {})).not.toContain(
      'kubectl.kubernetes.io/last-applied-configuration',
    )
    expect(object?.spec.selector.matchLabels).toEqual(object?.spec.template.metadata?.labels)
    expect(eventWrite).toMatchObject({
      reason: 'ScalingReplicaSet',
      message: expect.stringMatching(/^Scaled up replica set web-\w+ from 0 to 3$/),
    })
  })

  it('increases collisionCount on a hash collision and computes another hash', () => {
    const stranger = { ...replicaSet('else', { spec: 1 }), metadata: { name: 'x', uid: 'x' } }
    const collided = decide(deployment(), [], { named: () => stranger })
    expect(collided.retry).toBe(true)
    expect(statusOf(collided.writes)?.collisionCount).toBe(1)
    const first = decide(deployment(), []).writes[0]
    const second = decide(deployment({}, 'new', { collisionCount: 1 }), []).writes[0]
    expect(first?.verb === 'create' && first.object.metadata.name).not.toBe(
      second?.verb === 'create' && second.object.metadata.name,
    )
  })

  it('rolls back by template: the old ReplicaSet becomes the new one with the next revision', () => {
    const replicaSets = [replicaSet('old', { spec: 0 }), replicaSet('new', { spec: 10 })]
    const { writes } = decide(deployment({}, 'old'), replicaSets)
    const revised = writes[0]
    expect(revised?.verb === 'update' && revised.object.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    })
    expect(sizes(writes)).toEqual(['web-old 0', 'web-old 3'])
  })

  it('deletes the oldest empty ReplicaSets beyond the history limit once complete', () => {
    const complete = {
      replicas: 10,
      updatedReplicas: 10,
      availableReplicas: 10,
      readyReplicas: 10,
      observedGeneration: 2,
    }
    const history = ['a', 'b', 'c'].map((image, index) =>
      replicaSet(image, { spec: 0, revision: index + 1, createdAt: '2025-01-01T00:00:00Z' }),
    )
    const current = replicaSet('new', { spec: 10, revision: 4 })
    const { writes } = decide(deployment({ revisionHistoryLimit: 1 }, 'new', complete), [...history, current])
    expect(writes.flatMap((write) => (write.verb === 'delete' ? [write.object.metadata.name] : []))).toEqual([
      'web-a',
      'web-b',
    ])
  })

  it('copies minReadySeconds and annotations to the new ReplicaSet only', () => {
    const deployed = deployment({ minReadySeconds: 30 })
    deployed.metadata.annotations = { note: 'x' }
    const { writes } = decide(deployed, [replicaSet('old', { spec: 1 }), replicaSet('new', { spec: 10 })])
    const first = writes[0]
    expect(first).toMatchObject({
      verb: 'update',
      object: { metadata: { name: 'web-new', annotations: { note: 'x' } }, spec: { minReadySeconds: 30 } },
    })
  })
})

describe('replicas changed in mid-rollout', () => {
  it('distributes additional replicas proportionally and gives the remainder to the largest ReplicaSet', () => {
    const replicaSets = [replicaSet('old', { spec: 8, available: 8 }), replicaSet('new', { spec: 5, available: 5 })]
    const { writes } = decide(deployment({ replicas: 15, ...rolling(3, 2) }), replicaSets)
    expect(sizes(writes)).toEqual(['web-old 11', 'web-new 7'])
  })

  it('scales all ReplicaSets to 0', () => {
    const replicaSets = [replicaSet('old', { spec: 8 }), replicaSet('new', { spec: 5 })]
    expect(sizes(decide(deployment({ replicas: 0 }), replicaSets).writes)).toEqual(['web-old 0', 'web-new 0'])
  })
})

describe('paused', () => {
  const paused = (spec: Partial<Deployment['spec']> = {}) => deployment({ paused: true, ...spec })

  it('creates no ReplicaSet for a new template and sets DeploymentPaused', () => {
    const { writes } = decide(paused(), [replicaSet('old', { spec: 10 })])
    expect(sizes(writes)).toEqual([])
    expect(reasons(writes)).toEqual({
      Progressing: 'Unknown/DeploymentPaused',
      Available: 'True/MinimumReplicasAvailable',
    })
    expect(statusOf(writes)?.updatedReplicas).toBeUndefined()
    expect(statusOf(writes)?.observedGeneration).toBe(2)
  })

  it('keeps ProgressDeadlineExceeded', () => {
    const status = { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] }
    const { writes } = decide(deployment({ paused: true }, 'new', status), [replicaSet('old', { spec: 10 })])
    expect(reasons(writes)['Progressing']).toBe('False/ProgressDeadlineExceeded')
  })

  it.each<[string, readonly ReplicaSet[], readonly string[]]>([
    ['scales the one active ReplicaSet', [replicaSet('old', { spec: 4 })], ['web-old 10']],
    [
      'scales up the largest ReplicaSet to replicas + maxSurge in total',
      [replicaSet('old', { spec: 10 }), replicaSet('new', { spec: 1 })],
      ['web-old 11'],
    ],
    [
      'scales down the largest when the new one was scaled up manually',
      [replicaSet('old', { spec: 9 }), replicaSet('new', { spec: 8 })],
      ['web-old 4'],
    ],
    [
      'scales old ReplicaSets to 0 when the new one is saturated',
      [replicaSet('old', { spec: 2 }), replicaSet('new', { spec: 10 })],
      ['web-old 0'],
    ],
  ])('%s', (_, replicaSets, expected) => {
    const strategy = rolling(expected[0] === 'web-old 11' ? 2 : 2, 0)
    const sized = replicaSets.map((set) => ({
      ...set,
      metadata: {
        ...set.metadata,
        annotations: { ...set.metadata.annotations, 'deployment.kubernetes.io/max-replicas': '12' },
      },
    }))
    expect(sizes(decide(paused(strategy), sized).writes)).toEqual(expected)
  })

  it('keeps two active ReplicaSets with strategy Recreate', () => {
    const replicaSets = [replicaSet('old', { spec: 6, max: 10 }), replicaSet('new', { spec: 2, max: 10 })]
    const { writes } = decide(paused({ strategy: { type: 'Recreate' } }), replicaSets)
    expect(sizes(writes)).toEqual([])
    expect(reasons(writes)['Available']).toBe('False/MinimumReplicasUnavailable')
  })

  it('restarts the progress deadline when it is resumed', () => {
    const status = {
      conditions: [
        { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', lastUpdateTime: '2025-01-01T00:00:00Z' },
      ],
    }
    const replicaSets = [replicaSet('old', { spec: 10 }), replicaSet('new', { spec: 3, available: 0, replicas: 0 })]
    const { writes } = decide(
      deployment({}, 'new', { ...status, replicas: 10, readyReplicas: 10, availableReplicas: 10 }),
      replicaSets,
    )
    const condition = statusOf(writes)?.conditions?.find(({ type }) => type === 'Progressing')
    expect(condition).toMatchObject({
      status: 'Unknown',
      reason: 'DeploymentResumed',
      lastUpdateTime: '2026-01-01T00:00:00Z',
    })
  })
})

describe('recreate', () => {
  const recreate = deployment({ strategy: { type: 'Recreate' } })
  const pod = (phase: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [] },
    status: { phase },
  })

  it('scales old ReplicaSets to 0 first', () => {
    expect(sizes(decide(recreate, [replicaSet('old', { spec: 10, max: 10 })]).writes)).toEqual(['web-old 0'])
  })

  it('waits for running old pods, but not for finished ones', () => {
    const old = [replicaSet('old', { spec: 0, max: 10 })]
    expect(sizes(decide(recreate, old, { podsOf: () => [pod('Running')] }).writes)).toEqual([])
    expect(sizes(decide(recreate, old, { podsOf: () => [pod('Failed')] }).writes)).toEqual(['create 10'])
  })
})

describe('progress deadline', () => {
  const stuck = (lastUpdateTime: string) => ({
    replicas: 11,
    updatedReplicas: 1,
    readyReplicas: 10,
    availableReplicas: 10,
    unavailableReplicas: 1,
    terminatingReplicas: 0,
    observedGeneration: 2,
    conditions: [
      { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
      { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', lastUpdateTime },
    ],
  })
  const replicaSets = [replicaSet('old', { spec: 10, max: 11 }), replicaSet('new', { spec: 1, available: 0, max: 11 })]
  const at = (lastUpdateTime: string, spec = {}) => {
    const deployed = deployment({ ...rolling(1, 0), ...spec }, 'new', stuck(lastUpdateTime))
    deployed.metadata.annotations = { 'deployment.kubernetes.io/revision': '2' }
    return decide(deployed, replicaSets)
  }

  it('requeues one second after the deadline', () => {
    expect(at('2025-12-31T23:59:00Z')).toEqual({ writes: [], requeueAfterMs: 541_000, why: 'rolling update' })
  })

  it('sets ProgressDeadlineExceeded after the deadline', () => {
    expect(reasons(at('2025-12-31T23:49:59Z').writes)['Progressing']).toBe('False/ProgressDeadlineExceeded')
  })

  it('drops the condition when the deadline is infinite', () => {
    expect(reasons(at('2025-12-31T23:59:00Z', { progressDeadlineSeconds: 2147483647 }).writes)).toEqual({
      Available: 'True/MinimumReplicasAvailable',
    })
  })
})
