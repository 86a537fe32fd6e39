import { expect, it } from 'vitest'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { atRest } from './at-rest.ts'

const rolling = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } }
const stepped = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } }
const saved = { minReadySeconds: 3, progressDeadlineSeconds: 60, strategy: rolling, replicas: 4 }
const { replicas: _, ...fields } = saved

it.each([
  ['gate', { paused: true, ...fields }, { paused: false, ...fields }],
  ['step', { paused: false, minReadySeconds: 9e8, strategy: stepped }, { paused: false, ...fields }],
  ['mid', { paused: true, replicas: 0 }, { paused: false, ...saved }],
  ['user-paused', { paused: true, ...fields }, { paused: true, ...fields }],
])('takes back what was done to a Deployment held by %s', (hold, held, own) => {
  const labels = { app: 'web', 'carabiner.dev/hold': hold }
  const workload = { kind: 'Deployment', metadata: { name: 'web', labels }, spec: held } as unknown as Workload
  const rollout = hold === 'mid' ? saved : fields
  const policy = { metadata: { name: 'web' }, status: { rollout: { saved: rollout } } } as unknown as RolloutPolicy
  const rested = atRest(policy, workload)
  expect(rested.spec).toEqual(own)
  expect(rested.metadata.labels).toEqual({ app: 'web' })
})

it('restores pending edits of the owner, and does not change a workload that is not held', () => {
  const labels = { 'carabiner.dev/hold': 'gate', 'want.carabiner.dev/partition': '2' }
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2_147_483_647 } }
  const held = {
    kind: 'StatefulSet',
    metadata: { name: 'db', labels },
    spec: { updateStrategy },
  } as unknown as Workload
  const policy = { metadata: { name: 'db' } } as RolloutPolicy
  const rested = atRest(policy, held)
  expect(rested).toMatchObject({
    metadata: { labels: {} },
    spec: { updateStrategy: { rollingUpdate: { partition: 2 } } },
  })
  expect(atRest(policy, rested)).toBe(rested)
})
