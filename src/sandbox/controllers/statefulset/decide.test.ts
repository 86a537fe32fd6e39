import { describe, expect, it } from 'vitest'
import type { PersistentVolumeClaim, Pod, StatefulSet } from '../../../kube/kinds/index.ts'
import { decideStatefulSet, type StatefulSetWorld } from './decide.ts'
import { claimOwners } from './volume-claims.ts'

const now = Date.parse('2026-01-01T12:00:00Z')

type Facts = {
  readonly revision?: 'old' | 'new'
  readonly state?: 'ready' | 'running' | 'pending' | 'deleting' | 'failed'
  readonly since?: string
}

function pod(ordinal: number, { revision = 'old', state = 'ready', since = '2026-01-01T00:00:00Z' }: Facts = {}): Pod {
  const name = `db-${ordinal}`
  const ready = state === 'ready' || state === 'deleting'
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: name,
      labels: { 'statefulset.kubernetes.io/pod-name': name, 'controller-revision-hash': `db-${revision}` },
      ...(state === 'deleting' ? { deletionTimestamp: since } : {}),
    },
    spec: { containers: [] },
    status: {
      phase: state === 'failed' ? 'Failed' : state === 'pending' ? 'Pending' : 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }],
    },
  }
}

function world(
  spec: Partial<StatefulSet['spec']>,
  pods: readonly Pod[],
  status: StatefulSet['status'] = {},
): StatefulSetWorld {
  const template = (image: string) => ({
    metadata: { labels: { app: 'db' } },
    spec: { containers: [{ name: 'c', image }] },
  })
  const set: StatefulSet = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', uid: 's', generation: 2 },
    spec: {
      replicas: 3,
      selector: {},
      template: template('new'),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
    status,
  }
  return {
    set,
    pods,
    current: { name: 'db-old', template: template('old') },
    update: { name: 'db-new', template: template('new') },
    collisionCount: undefined,
  }
}

/** `+2:new` creates ordinal 2 from the new template, `-2` deletes it. */
function steps(one: StatefulSetWorld): readonly string[] {
  return decideStatefulSet(one, now).steps.map((step) =>
    step.do === 'create'
      ? `+${step.ordinal}:${step.pod.spec.containers[0]?.image}`
      : `${step.do === 'delete' ? '-' : '~'}${step.pod.metadata.name.slice(3)}`,
  )
}

const partition = (value: number): Partial<StatefulSet['spec']> => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: value } },
})
const updated: Facts = { revision: 'new' }

describe('pods of a StatefulSet', () => {
  it.each<[string, Partial<StatefulSet['spec']>, readonly Pod[], readonly string[]]>([
    ['are created in order', {}, [pod(0, updated)], ['+1:new']],
    ['wait until the previous pod is ready', {}, [pod(0, { ...updated, state: 'running' })], []],
    [
      'wait until the previous pod is available',
      { minReadySeconds: 60 },
      [pod(0, { ...updated, since: '2026-01-01T11:59:30Z' })],
      [],
    ],
    [
      'are created at once with podManagementPolicy Parallel',
      { podManagementPolicy: 'Parallel' },
      [],
      ['+0:new', '+1:new', '+2:new'],
    ],
    ['are replaced when they fail', {}, [pod(0), pod(1, { state: 'failed' }), pod(2)], ['-1']],
    ['are re-created from the old revision below the partition', partition(2), [pod(0), pod(2)], ['+1:old']],
    ['are re-created from the new revision at the partition', partition(1), [pod(0), pod(2)], ['+1:new']],
    ['are deleted from the highest ordinal', { replicas: 1 }, [pod(0), pod(1), pod(2)], ['-2']],
    ['are deleted one at a time', { replicas: 1 }, [pod(0), pod(1), pod(2, { state: 'deleting' })], []],
    [
      'are deleted at once with podManagementPolicy Parallel',
      { replicas: 1, podManagementPolicy: 'Parallel' },
      [pod(0, updated), pod(1), pod(2)],
      ['-2', '-1'],
    ],
    ['start at spec.ordinals.start', { replicas: 2, ordinals: { start: 1 } }, [pod(0), pod(1)], ['+2:new']],
    [
      'get missing identity labels',
      {},
      [
        {
          ...pod(0, updated),
          metadata: { ...pod(0, updated).metadata, labels: { 'controller-revision-hash': 'db-new' } },
        },
        pod(1, updated),
        pod(2, updated),
      ],
      ['~0'],
    ],
  ])('%s', (_, spec, pods, expected) => {
    expect(steps(world(spec, pods))).toEqual(expected)
  })
})

describe('a rolling update', () => {
  const old = [pod(0), pod(1), pod(2)]
  it.each<[string, Partial<StatefulSet['spec']>, readonly Pod[], readonly string[]]>([
    ['starts at the highest ordinal', {}, old, ['-2']],
    ['waits for the replaced pod', {}, [pod(0), pod(1), pod(2, { ...updated, state: 'running' })], []],
    ['continues with the next lower ordinal', {}, [pod(0), pod(1), pod(2, updated)], ['-1']],
    ['stops at the partition', partition(2), [pod(0), pod(1), pod(2, updated)], []],
    ['does nothing with a partition above all ordinals', partition(2147483647), old, []],
    ['does nothing with OnDelete', { updateStrategy: { type: 'OnDelete' } }, old, []],
    [
      'deletes several pods with maxUnavailable',
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } },
      old,
      ['-2', '-1'],
    ],
    [
      'counts unavailable pods against maxUnavailable',
      {
        podManagementPolicy: 'Parallel',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
      },
      [pod(0), pod(1, { ...updated, state: 'running' }), pod(2)],
      ['-2'],
    ],
    ['waits for a broken pod with a lower ordinal', {}, [pod(0, { state: 'running' }), pod(1), pod(2, updated)], []],
  ])('%s', (_, spec, pods, expected) => {
    expect(steps(world(spec, pods))).toEqual(expected)
  })

  it('completes when all pods are updated and ready', () => {
    const { status } = decideStatefulSet(world({}, [pod(0, updated), pod(1, updated), pod(2, updated)]), now)
    expect(status).toEqual({
      observedGeneration: 2,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: 'db-new',
      updateRevision: 'db-new',
      collisionCount: 0,
    })
  })

  it('subtracts a deleted pod from currentReplicas', () => {
    expect(decideStatefulSet(world({}, old), now).status).toMatchObject({
      currentReplicas: 2,
      currentRevision: 'db-old',
      updateRevision: 'db-new',
    })
  })
})

describe('claims', () => {
  const claim: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data-db-0' },
  }
  const owners = (whenDeleted: string, whenScaled: string, scaledDown: boolean) =>
    claimOwners(
      world({ persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } }, []).set,
      pod(0),
      claim,
      scaledDown,
    )?.map(({ kind }) => kind)

  it.each([
    ['Retain', 'Retain', true, undefined],
    ['Delete', 'Retain', false, ['StatefulSet']],
    ['Retain', 'Delete', false, undefined],
    ['Retain', 'Delete', true, ['Pod']],
    ['Delete', 'Delete', true, ['Pod']],
  ])('deleted %s, scaled %s, scaled down %s: owned by %s', (whenDeleted, whenScaled, scaledDown, expected) => {
    expect(owners(whenDeleted, whenScaled, scaledDown)).toEqual(expected)
  })
})
