/** A policy, its ledger and its workload, for tests of what commands print. */
import type { Detail } from '../../src/cli/rollout/detail/detail.ts'
import { templateHash } from '../../src/rollouts/objects/template-hash.ts'
import type { Ledger, PolicyCondition, RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import type { PodTemplate, Workload } from '../../src/rollouts/policy/workload.ts'

export const templateWith = (image: string): PodTemplate => ({ spec: { containers: [{ name: 'main', image }] } })

export const workloadWith = (labels: Readonly<Record<string, string>> = {}) =>
  ({
    kind: 'Deployment',
    metadata: { name: 'web', labels },
    spec: { replicas: 4, template: templateWith('web:2') },
  }) as unknown as Workload

export const ledger: Ledger = {
  id: '1a2b3c4d',
  type: 'ROLLOUT',
  phase: 'Progressing',
  point: '50%',
  waitingFor: 'smoke',
  from: 'web-1',
  to: 'web-2',
  templateHash: templateHash(templateWith('web:2')),
  startedAt: '2026-01-01T00:00:00.000Z',
  hooks: [
    {
      ...{ name: 'smoke', point: '50%', state: 'Running', attempts: 2, message: 'Failed: exit code 1' },
      startedAt: '2026-01-01T00:00:48.000Z',
    },
  ],
}

export const policyWith = (type: PolicyCondition['type'], reason: string, rollout?: Ledger): RolloutPolicy => ({
  apiVersion: 'carabiner.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata: { name: 'web', namespace: 'shop', creationTimestamp: '2025-12-31T23:00:00Z' },
  spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  status: {
    conditions: [{ type, status: 'True', reason, message: 'why', lastTransitionTime: '' }],
    ...(rollout === undefined ? {} : { rollout }),
  },
})

const revision = (number: number) => ({
  ...{ kind: 'ReplicaSet' as const, name: `web-${number}`, number, createdAt: '2026-01-01T00:00:00Z' },
  template: templateWith(`web:${number}`),
})

const pod = (name: string, version: number) => ({
  ...{ name, revision: `web-${version}`, state: 'Running', ready: '1/1', isReady: true, restarts: 0 },
  createdAt: '2026-01-01T00:00:30Z',
})

export const detailWith = (policy: RolloutPolicy, more: Partial<Detail> = {}): Detail => ({
  ...{ policy, outcome: 'going', workload: workloadWith(), images: 'web:1 → web:2', hookPods: [], refusals: new Map() },
  revisions: [revision(2), revision(1)],
  pods: [pod('web-2-a', 2), pod('web-1-a', 1), pod('web-1-b', 1)],
  ...more,
})

export const troubledPod = {
  ...pod('web-2-b', 2),
  ...{ state: 'ImagePullBackOff', ready: '0/1', isReady: false, restarts: 0 },
  message: 'Back-off pulling image "web:2"',
}

/** A minute after the start of the rollout. */
export const now = Date.parse('2026-01-01T00:01:00.000Z')
