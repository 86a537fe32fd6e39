import { describe, expect, it } from 'vitest'
import type { Observation } from '../../hooks/index.ts'
import { editPrefix } from '../gate/pending-edits.ts'
import { holdLabel, optInLabel } from '../labels.ts'
import { rolloutId } from '../ledger/ledger.ts'
import type { Revision, World } from '../observe/world.ts'
import { compilePolicy } from '../policy/compile.ts'
import type { EndedRollout, HookRecord, Ledger, LifecycleHook, RolloutPolicy, TargetKind } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { decideNext } from './decide.ts'
import { writesOf } from './decision.ts'
import { finalizer } from './finalizer.ts'

const now = Date.parse('2026-01-01T00:01:00Z')
const [oldHash, newHash] = ['0123456789abcdef', 'fedcba9876543210']

const workloadOf = (kind: 'Deployment' | 'DaemonSet', hold: string, spec: object): Workload =>
  ({
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'w',
      generation: 2,
      labels: { [optInLabel]: 'web', [holdLabel]: hold },
    },
    spec: { selector: { matchLabels: {} }, template: { spec: { containers: [{ name: 'c', image: 'new' }] } }, ...spec },
  }) as Workload

const revision = (name: string, templateHash: string, number: number, kind: Revision['kind']): Revision => ({
  ...{ kind, name, uid: name, number, templateHash, createdAt: number, annotations: {} },
})

const hook = (progressPoint: number | string): LifecycleHook => ({
  name: 'migrate',
  trigger: { type: 'ProgressAvailable', progressAvailableParams: { progressPoint } },
  failurePolicy: 'Abort',
  jobSpec: { template: { spec: { containers: [{ name: 'c', image: 'hook' }], restartPolicy: 'Never' } } },
})

interface Given extends Partial<Pick<World, 'pods' | 'runs' | 'templateHash' | 'revisions'>> {
  readonly point: number | string
  readonly rollout?: Ledger
  readonly history?: readonly EndedRollout[]
}

function worldOf(workload: Workload, { point, rollout, history = [], ...given }: Given): World {
  const kind = workload.kind as TargetKind
  const policy: RolloutPolicy = {
    apiVersion: 'carabiner.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'web', namespace: 'shop', generation: 1, finalizers: [finalizer] },
    spec: { targetRef: { apiVersion: 'apps/v1', kind, name: 'web' }, lifecycleHooks: [hook(point)] },
    status: { gate: 'webhook', history, ...(rollout === undefined ? {} : { rollout }) },
  }
  const revisionKind = kind === 'Deployment' ? 'ReplicaSet' : 'ControllerRevision'
  return {
    gate: { kind: 'webhook', problem: undefined },
    policy,
    workload,
    templateHash: newHash,
    owner: undefined,
    revisions: [revision('web-old', oldHash, 1, revisionKind), revision('web-new', newHash, 2, revisionKind)],
    pods: [],
    hookObjects: [],
    runs: {},
    engine: 'this',
    compiled: compilePolicy(policy.spec),
    ...given,
  }
}

const ledgerOf = (workload: Workload, record: Partial<HookRecord>, more: Partial<Ledger> = {}): Ledger => ({
  id: rolloutId(workload, newHash),
  type: 'ROLLOUT',
  phase: 'Pending',
  from: 'web-old',
  to: 'web-new',
  templateHash: newHash,
  startedAt: '2026-01-01T00:00:00.000Z',
  hooks: [{ name: 'migrate', point: '0', state: 'Running', attempts: 1, ...record }],
  ...more,
})

const decide = (world: World) => {
  const { decision } = decideNext(world, now)
  return { ...decision, writes: writesOf(decision) }
}
const kindsOf = (world: World) => decide(world).writes.map(({ kind }) => kind)

describe('caches that do not wait for each other', () => {
  const held = workloadOf('DaemonSet', 'gate', { updateStrategy: { type: 'OnDelete' } })

  it('begin no rollout again that is told to be over, and was about this very generation', () => {
    expect(kindsOf(worldOf(held, { point: 0 }))).toContain('start-hook')
    const over = { id: rolloutId(held, newHash), phase: 'Cancelled' } as EndedRollout
    expect(decide(worldOf(held, { point: 0, history: [over] }))).toMatchObject({
      writes: [],
      why: 'the workload is not yet seen as the history knows it',
    })
    const again = { ...held, metadata: { ...held.metadata, generation: 4 } }
    expect(kindsOf(worldOf(again, { point: 0, history: [over] }))).toContain('start-hook')
  })

  it('take nothing for reverted by pods that are older than the rollout which was completed', () => {
    const revisions = [
      revision('web-old', oldHash, 3, 'ControllerRevision'),
      revision('web-new', newHash, 2, 'ControllerRevision'),
    ]
    const pods = [{ name: 'a', uid: 'a', revision: 'web-old', readySince: 0, isEnding: false, isFailed: false }]
    const back = (rollout: Ledger) =>
      kindsOf(worldOf(held, { point: 0, rollout, revisions, pods, templateHash: oldHash }))
    const over = { phase: 'Complete', endedAt: '2026-01-01T00:00:30.000Z' } as const
    expect(back(ledgerOf(held, { state: 'Succeeded' }, over))).toContain('start-hook')
    expect(back(ledgerOf(held, { state: 'Pending' }))).not.toContain('start-hook')
  })

  it('start nothing that another engine has started, whatever became of it: the server is asked first', () => {
    const startedBy = (starter: string, startedAt: string) => {
      const record = { starter, startedAt, object: { kind: 'Job', name: 'job' } }
      return worldOf(held, { point: 0, rollout: ledgerOf(held, record, { point: '0', waitingFor: 'migrate' }) })
    }
    expect(kindsOf(startedBy('this', '2026-01-01T00:00:59.000Z'))).toEqual(['start-hook'])
    expect(kindsOf(startedBy('other', '2026-01-01T00:00:59.000Z'))).toEqual([])
    const late = decide(startedBy('other', '2026-01-01T00:00:30.000Z'))
    expect(late.writes.map(({ kind }) => kind)).toEqual(['status', 'start-hook'])
    expect(late.gone).toMatchObject([{ kind: 'Job' }])
  })
})

it('is an UNDO to the revision that the superseded rollout came from, whatever numbers the native controller gave', () => {
  const held = workloadOf('DaemonSet', 'gate', { updateStrategy: { type: 'OnDelete' } })
  const { writes } = decide(
    worldOf(held, {
      point: 0,
      rollout: ledgerOf(held, {}, { phase: 'Progressing', moved: true }),
      templateHash: oldHash,
      revisions: [
        { ...revision('web-new', newHash, 2, 'ControllerRevision'), createdAt: 1000 },
        { ...revision('web-old', oldHash, 3, 'ControllerRevision'), createdAt: 1000 },
      ],
    }),
  )
  const [written] = writes.flatMap((write) => (write.kind === 'status' ? [write.status.rollout] : []))
  expect(written).toMatchObject({ type: 'UNDO', from: 'web-new', to: 'web-old' })
})

describe('a hook whose pod Kubernetes takes away', () => {
  const held = workloadOf('DaemonSet', 'gate', { updateStrategy: { type: 'OnDelete' } })
  const object = { kind: 'Pod', name: 'pod', uid: 'p' }
  const endedBy = (observation: Observation, record: Partial<HookRecord>) => {
    const rollout = ledgerOf(held, { object, ...record }, { point: '0', waitingFor: 'migrate' })
    const { writes } = decide(worldOf(held, { point: 0, rollout, runs: { migrate: { observation } } }))
    return writes.flatMap((write) => (write.kind === 'status' ? [write.status.rollout?.hooks[0]] : []))[0]
  }
  const failed = { state: 'failed', at: now, reason: 'Disrupted', message: 'drained', object } as const
  const lost = { state: 'lost', object, disruption: 'drained' } as const

  it.each([failed, lost])('[rollouts W33] is tried again although its policy is Abort: $state', (observation) => {
    expect(endedBy(observation, { attempts: 3, disruptions: 2 })).toMatchObject({
      ...{ state: 'Pending', disruptions: 3, message: 'Disrupted: drained', retryAt: '2026-01-01T00:01:10.000Z' },
    })
  })

  it.each([failed, lost])('[rollouts W33] fails the sixth time: $state', (observation) => {
    expect(endedBy(observation, { attempts: 6, disruptions: 5 })).toMatchObject({ state: 'Failed', disruptions: 5 })
  })

  it('[rollouts W33] fails when it was only deleted', () => {
    expect(endedBy({ state: 'lost', object }, {})).toMatchObject({ state: 'Failed', reason: 'Lost' })
  })
})

describe('replicas that are taken away while hooks run', () => {
  const stepped = (replicas: number, maxUnavailable: number) =>
    workloadOf('Deployment', 'step', {
      replicas,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable } },
    })
  const running = { point: '50%', object: { kind: 'Job', name: 'job', uid: 'j' } } as const
  const saved = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }
  const worldWith = (workload: Workload) =>
    worldOf(workload, {
      point: '50%',
      rollout: ledgerOf(workload, running, { phase: 'Progressing', point: '50%', waitingFor: 'migrate', saved }),
      pods: ['a', 'b', 'c'].map((name) => ({
        ...{ name, uid: name, revision: 'web-new', readySince: 0, isEnding: false, isFailed: false },
      })),
      runs: { migrate: { observation: { state: 'running', since: 0 } } },
    })
  const patches = (workload: Workload) =>
    decide(worldWith(workload)).writes.flatMap((write) => (write.kind === 'workload' ? [write.patch] : []))

  it('leave fewer new pods for the native controller to make', () => {
    expect(patches(stepped(5, 3))).toEqual([])
    expect(patches(stepped(4, 3))).toMatchObject([
      { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } } } },
    ])
    expect(patches(stepped(4, 2))).toEqual([])
  })

  it('leave a workload alone of which no pod is wanted: native controllers do not know a budget of nothing', () => {
    expect(patches(stepped(0, 3))).toEqual([])
  })
})

it('makes no pod beyond the point for an owner who wants another surge, and pods ready for longer, while hooks run', () => {
  const workload = workloadOf('Deployment', 'step', {
    ...{ replicas: 4, minReadySeconds: 2_147_483_646, progressDeadlineSeconds: 2_147_483_647 },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
  })
  const edits = { [`${editPrefix}maxSurge`]: '3', [`${editPrefix}minReadySeconds`]: '1' }
  const labels = { ...workload.metadata.labels, ...edits }
  const saved = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } }
  const rollout = ledgerOf(workload, { point: '50%' }, { phase: 'Progressing', point: '50%', saved })
  const pods = ['a', 'b'].map((name) => ({
    ...{ name, uid: name, revision: 'web-new', readySince: now - 100, isEnding: false, isFailed: false },
  }))
  const wanted = { ...workload, metadata: { ...workload.metadata, labels } }
  expect(kindsOf(worldOf(wanted, { point: '50%', rollout, pods }))).not.toContain('workload')
})

it.each([
  ['2026-01-01T00:01:00.000Z', '00:00:59.700', '00:01:00.000'],
  ['2026-01-01T00:00:59.000Z', '00:00:59.700', '00:00:59.999'],
  ['2026-01-01T00:00:20.000Z', '00:00:59.700', '00:00:59.700'],
])('ends no hook before it began: observed %s, begun at %s', (observed, began, end) => {
  const held = workloadOf('DaemonSet', 'gate', { updateStrategy: { type: 'OnDelete' } })
  const object = { kind: 'Job', name: 'job', uid: 'j' }
  const rollout = ledgerOf(held, { startedAt: `2026-01-01T${began}Z`, object }, { point: '0', waitingFor: 'migrate' })
  const runs = { migrate: { observation: { state: 'succeeded', at: Date.parse(observed), object } } } as const
  const { writes } = decide(worldOf(held, { point: 0, rollout, runs }))
  const [status] = writes.flatMap((write) => (write.kind === 'status' ? [write.status.rollout?.hooks[0]] : []))
  expect(status).toMatchObject({ state: 'Succeeded', endedAt: `2026-01-01T${end}Z` })
})

it('tells of a rollout that was overtaken that its hooks were ended', () => {
  const held = workloadOf('DaemonSet', 'gate', { updateStrategy: { type: 'OnDelete' } })
  const before = { ...ledgerOf(held, {}), id: 'before', templateHash: 'other' }
  const { writes } = decide(worldOf(held, { point: 0, rollout: before }))
  const [history] = writes.flatMap((write) => (write.kind === 'status' ? [write.status.history] : []))
  expect(history).toMatchObject([{ id: 'before', phase: 'Cancelled', hooks: [{ state: 'Cancelled' }] }])
})

describe('a Deployment without pods', () => {
  const held = workloadOf('Deployment', 'gate', {
    replicas: 0,
    paused: true,
    selector: { matchLabels: { app: 'web' } },
  })
  const [stable, fresh] = [revision('web-old', oldHash, 1, 'ReplicaSet'), revision('web-new', newHash, 2, 'ReplicaSet')]
  const hidden = { ...fresh, isHidden: true } as const
  const ledgersOf = (given: Given) =>
    decide(worldOf(held, given)).writes.flatMap((write) => (write.kind === 'status' ? [write.status.rollout] : []))
  const over = { phase: 'Cancelled', endedAt: '2026-01-01T00:00:30.000Z' } as const

  it('gets the ReplicaSet of its new template apart, with the first hook', () => {
    const { writes } = decide(worldOf(held, { point: 0, revisions: [stable] }))
    expect(writes.map(({ kind }) => kind)).toEqual(['status', 'event', 'create-revision', 'start-hook'])
    expect(writes).toContainEqual({ kind: 'create-revision', name: `web-${newHash.slice(0, 10)}`, isHidden: true })
  })

  it('gets it as ever where no hook comes before the first pod', () => {
    const { status, ...policy } = worldOf(held, { point: 0 }).policy
    const lifecycle = { post: { failurePolicy: 'Ignore', jobSpec: hook(0).jobSpec } }
    const spec = { targetRef: policy.spec.targetRef, lifecycle } as RolloutPolicy['spec']
    const hooks = [{ name: 'post', point: 'post', state: 'Pending', attempts: 0 }] as const
    const rollout = { ...ledgerOf(held, {}), hooks }
    const world = {
      ...worldOf(held, { point: 0, revisions: [stable] }),
      policy: { ...policy, spec, status: { rollout } },
    }
    expect(decide(world).writes).toEqual([{ kind: 'create-revision', name: 'web-new' }])
  })

  it('is reverted by the template of the revision it came from, unless something has come of the rollout', () => {
    const back = { point: 0, revisions: [stable, hidden], templateHash: oldHash }
    expect(kindsOf(worldOf(held, { ...back, rollout: ledgerOf(held, {}) }))).toEqual([
      ...['cancel-hook', 'workload', 'unhide', 'status'],
    ])
    expect(ledgersOf({ ...back, rollout: ledgerOf(held, {}, { moved: true }) })).toMatchObject([{ to: 'web-old' }])
  })

  it('comes from what ran, not from what was kept apart', () => {
    const older = revision('web-older', 'older', 0, 'ReplicaSet')
    const other = { ...revision('web-other', 'other', 9, 'ReplicaSet'), isHidden: true } as const
    expect(ledgersOf({ point: 0, revisions: [older, stable, other] })).toMatchObject([{ from: 'web-old' }])
    expect(ledgersOf({ point: 0, revisions: [other] })).toMatchObject([{ type: 'CREATE' }])
  })

  it('comes from what was let go without hooks, whatever was completed before', () => {
    const history = [{ id: 'a', to: 'web-old', phase: 'Complete' } as EndedRollout]
    const revisions = [stable, revision('web-let-go', 'other', 3, 'ReplicaSet')]
    const rollout = { ...ledgerOf(held, {}, over), to: 'web-let-go', templateHash: 'other' }
    expect(ledgersOf({ point: 0, history, revisions, rollout })).toMatchObject([{ from: 'web-let-go' }])
  })
})
