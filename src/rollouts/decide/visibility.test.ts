import { describe, expect, it } from 'vitest'
import { holdLabel, optInLabel } from '../labels.ts'
import type { PodState, Revision, World } from '../observe/world.ts'
import type { EndedRollout, Ledger, RolloutPolicy } from '../policy/types.ts'
import { noPhases, type Proposal, type Write, writesOf } from './decision.ts'
import { isCreatedHidden, visibilityFor } from './visibility.ts'

const open = { gate: { kind: 'workload', patch: { spec: { paused: false } } } } as const
const revision = (name: string, number: number, more: Partial<Revision> = {}): Revision => ({
  ...{ kind: 'ReplicaSet', name, uid: name, number, templateHash: `hash of ${name}`, createdAt: number },
  annotations: {},
  ...more,
})
const hidden = { isHidden: true } as const
const pod = { name: 'a', uid: 'a', revision: 'v1', readySince: 0, isEnding: false, isFailed: false } satisfies PodState
const migrate = { name: 'migrate', point: '0', state: 'Running', attempts: 1 } as const
const rollout = { phase: 'Pending', from: 'v1', to: 'v2', templateHash: 'hash of v2', hooks: [migrate] } as const

const recorded = { ledger: { rollout: rollout as unknown as Ledger } }

interface Given {
  readonly hold?: string
  readonly replicas?: number
  readonly paused?: boolean
  readonly selector?: object
  readonly revisions?: readonly Revision[]
  readonly rollout?: Partial<Ledger>
  readonly history?: readonly Partial<EndedRollout>[]
  readonly pods?: readonly PodState[]
}

/** A Deployment that is held without pods on its way from v1 to v2. */
function worldOf({ hold = 'gate', replicas = 0, paused = true, selector, revisions, ...given }: Given = {}): World {
  const labels = { [optInLabel]: 'web', [holdLabel]: hold }
  const spec = { replicas, paused, selector: selector ?? { matchLabels: { app: 'web' } } }
  return {
    policy: {
      metadata: { name: 'web' },
      status: { rollout: { ...rollout, ...given.rollout }, history: given.history },
    } as unknown as RolloutPolicy,
    workload: { kind: 'Deployment', metadata: { name: 'web', labels }, spec },
    templateHash: 'hash of v2',
    revisions: revisions ?? [revision('v1', 1), revision('v2', 2)],
    pods: given.pods ?? [],
  } as unknown as World
}

const show = (write: Write) => ('revision' in write ? `${write.kind} ${write.revision.name}` : write.kind)
const writesFor = (world: World, change: Partial<Proposal> = {}) =>
  writesOf({ ...noPhases, ...change, ...visibilityFor(world, { why: '', ...change }) })
const shown = (given: Given, change: Partial<Proposal> = {}) => writesFor(worldOf(given), change).map(show)

describe('the ReplicaSet of a new template', () => {
  it.each<readonly [string, Given, boolean]>([
    ['no replicas', {}, true],
    ['replicas and no pods', { replicas: 3 }, true],
    ['replicas and pods that end', { replicas: 3, pods: [{ ...pod, isEnding: true }] }, true],
    ['replicas and pods', { replicas: 3, pods: [pod] }, false],
    ['a hold in the middle', { hold: 'mid' }, false],
    ['a selector that takes what has no labels', { selector: { matchExpressions: [{ operator: 'NotIn' }] } }, false],
  ])('with %s is made apart or not', (_, given, isHidden) => {
    expect(isCreatedHidden(worldOf(given))).toBe(isHidden)
  })
})

describe('a Deployment that is held without pods', () => {
  it('has the ReplicaSet of its new template set apart before anything else is done', () => {
    expect(shown({}, recorded)).toEqual(['hide v2', 'status'])
    expect(shown({ rollout: { phase: 'Aborted', endedAt: 'then' } })).toEqual(['hide v2'])
  })

  it.each<readonly [string, Given]>([
    ['it has been', { revisions: [revision('v1', 1), revision('v2', 2, hidden)] }],
    ['replicas are wanted', { replicas: 1 }],
    ['it stands at a point between', { hold: 'step', paused: true }],
    ['it waits for no hook', { rollout: { hooks: [{ ...migrate, state: 'Succeeded' }] } }],
    ['its gate opens', { rollout: { phase: 'Finishing' } }],
    ['it rests', { rollout: { phase: 'Complete', endedAt: 'then' } }],
    ['the ledger tells of another template', { rollout: { templateHash: 'hash of v3' } }],
    ['everything would be adopted again', { selector: { matchExpressions: [{ operator: 'DoesNotExist' }] } }],
  ])('has nothing set apart when %s', (_, given) => {
    expect(shown(given)).toEqual([])
  })

  it('has what would be scaled in the place of the version that ran last set apart too', () => {
    const target = revision('v2', 9, hidden)
    const sets = (...others: readonly Revision[]) => ({ revisions: [...others, target] })
    // It ran before the present one, which is older.
    expect(shown(sets(revision('v1', 3, { createdAt: 1 }), revision('v0', 2)))).toEqual(['hide v0'])
    // A rollout to it came to nothing.
    const history = [{ to: 'v0', phase: 'Cancelled' }, { phase: 'Complete' }] as const
    expect(shown({ ...sets(revision('v1', 1), revision('v0', 2)), history })).toEqual(['hide v0'])
    // It is not recorded how it was created: perhaps the policy was suspended, and it runs.
    expect(shown(sets(revision('v1', 1), revision('v0', 2)))).toEqual([])
    expect(shown(sets(revision('v1', 2), revision('v0', 1)))).toEqual([])
  })
})

describe('what is apart', () => {
  const both = [revision('v1', 1), revision('v0', 2, hidden), revision('v2', 3, hidden)]

  it('stays so while the gate is shut', () => {
    expect(shown({ revisions: both }, recorded)).toEqual(['status'])
  })

  it('comes back before the gate opens, and what is not the new version after that', () => {
    expect(shown({ revisions: both }, { ...recorded, ...open })).toEqual([
      'status',
      'unhide v2',
      'workload',
      'unhide v0',
    ])
  })

  it('comes back where the gate was opened before, but for what the native controller makes itself then', () => {
    expect(shown({ revisions: both, paused: false }, recorded)).toEqual(['unhide v0', 'status'])
    expect(shown({ revisions: both, paused: false }, { ...recorded, ...open })).toEqual([
      'status',
      'workload',
      'unhide v0',
    ])
  })

  it('goes when the native controller has made another one, but not while its hooks may run', () => {
    const revisions = [revision('v2', 3), revision('own', 2, { ...hidden, templateHash: 'hash of v2' })]
    const over = { to: 'own', endedAt: 'then' }
    expect(shown({ revisions, paused: false, rollout: over })).toEqual(['delete-duplicate own'])
    expect(shown({ revisions, paused: false, rollout: { to: 'own' } })).toEqual([])
  })

  it('is left to the policy that has the workload', () => {
    const world = worldOf({ revisions: both, paused: false })
    const other = { ...world, policy: { ...world.policy, metadata: { name: 'other' } } } as World
    expect(writesFor(other)).toEqual([])
  })
})
