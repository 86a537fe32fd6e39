import { expect, it } from 'vitest'
import type { Deployment } from '../policy/workload.ts'
import { canBeHidden, hiddenFrom, isHidden, shownAgain } from './hidden-replica-set.ts'
import { replicaSetOf } from './replica-set.ts'

const deployment: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', uid: 'd' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web', team: 'a' } }, spec: { containers: [] } },
  },
}
const made = replicaSetOf(deployment, 'web-123', 2)
const set = { ...made, metadata: { ...made.metadata, labels: { ...made.metadata.labels, seen: 'true' } } }

it('leaves a ReplicaSet apart nothing to be adopted by, and its owner without control', () => {
  const metadata = { ...set.metadata, ...hiddenFrom(deployment, set) }
  expect(metadata.labels).toEqual({ seen: 'true', 'carabiner.dev/apart': 'true' })
  expect(metadata.ownerReferences).toEqual([
    { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', blockOwnerDeletion: true },
  ])
  expect([isHidden(set), isHidden({ ...set, metadata })]).toEqual([false, true])
})

it('brings it back as it was', () => {
  const metadata = { ...set.metadata, ...hiddenFrom(deployment, set) }
  const { labels, ownerReferences } = set.metadata
  expect(shownAgain(deployment, { ...set, metadata })).toEqual({ labels, ownerReferences })
})

it('knows selectors that would take it for their own all the same', () => {
  const says = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist') => ({
    matchExpressions: [{ key: 'a', operator }],
  })
  expect(canBeHidden({ matchLabels: { app: 'web' }, ...says('NotIn') })).toBe(true)
  expect([says('In'), says('Exists')].map(canBeHidden)).toEqual([true, true])
  expect([says('NotIn'), says('DoesNotExist')].map(canBeHidden)).toEqual([false, false])
})
