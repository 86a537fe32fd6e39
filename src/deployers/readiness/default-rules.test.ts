import { expect, it } from 'vitest'
import { readinessOf } from './default-rules.ts'

it.each<[string, string, string, object, string]>([
  ['a Job that has not started', 'batch/v1', 'Job', { status: {} }, 'working'],
  ['a running Job', 'batch/v1', 'Job', { status: { startTime: '2026-01-01T00:00:00Z', active: 1 } }, 'done'],
  ['a suspended Job', 'batch/v1', 'Job', { spec: { suspend: true } }, 'done'],
  [
    'a failed Job',
    'batch/v1',
    'Job',
    { status: { startTime: 'x', conditions: [{ type: 'Failed', status: 'True' }] } },
    'failed',
  ],
  [
    'a ReplicationController whose generation is not observed',
    'v1',
    'ReplicationController',
    { spec: { replicas: 1 }, status: { readyReplicas: 1 } },
    'working',
  ],
  [
    'a ready ReplicationController',
    'v1',
    'ReplicationController',
    { status: { observedGeneration: 2, readyReplicas: 1 } },
    'done',
  ],
  [
    'a ReplicationController with too few ready pods',
    'v1',
    'ReplicationController',
    { spec: { replicas: 2 }, status: { observedGeneration: 2, readyReplicas: 1 } },
    'working',
  ],
  ['a ConfigMap', 'v1', 'ConfigMap', {}, 'done'],
  [
    'a running pod',
    'v1',
    'Pod',
    { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
    'done',
  ],
  ['a completed pod', 'v1', 'Pod', { status: { phase: 'Succeeded' } }, 'done'],
  [
    'a custom resource with condition Ready=False',
    'x/v1',
    'Thing',
    { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
    'working',
  ],
])('judges the readiness of %s', (_, apiVersion, kind, rest, state) => {
  expect(readinessOf({ apiVersion, kind, metadata: { name: 'x', generation: 2 }, ...rest }).state).toBe(state)
})
