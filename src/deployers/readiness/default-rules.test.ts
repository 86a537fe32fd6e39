import { expect, it } from 'vitest'
import type { KubeObject } from '../../kube/object.ts'
import { readinessOf } from './default-rules.ts'

type ObjectWithoutMetadata = Omit<KubeObject, 'metadata'> & { readonly spec?: object; readonly status?: object }

it.each<[subject: string, object: ObjectWithoutMetadata, state: string]>([
  ['a Job that has not started', { apiVersion: 'batch/v1', kind: 'Job', status: {} }, 'working'],
  [
    'a running Job',
    { apiVersion: 'batch/v1', kind: 'Job', status: { startTime: '2026-01-01T00:00:00Z', active: 1 } },
    'done',
  ],
  ['a suspended Job', { apiVersion: 'batch/v1', kind: 'Job', spec: { suspend: true } }, 'done'],
  [
    'a failed Job',
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      status: { startTime: 'x', conditions: [{ type: 'Failed', status: 'True' }] },
    },
    'failed',
  ],
  [
    'a ReplicationController whose generation is not observed',
    { apiVersion: 'v1', kind: 'ReplicationController', spec: { replicas: 1 }, status: { readyReplicas: 1 } },
    'working',
  ],
  [
    'a ready ReplicationController',
    { apiVersion: 'v1', kind: 'ReplicationController', status: { observedGeneration: 2, readyReplicas: 1 } },
    'done',
  ],
  [
    'a ReplicationController with too few ready pods',
    {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      spec: { replicas: 2 },
      status: { observedGeneration: 2, readyReplicas: 1 },
    },
    'working',
  ],
  ['a ConfigMap', { apiVersion: 'v1', kind: 'ConfigMap' }, 'done'],
  [
    'a running pod',
    { apiVersion: 'v1', kind: 'Pod', status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
    'done',
  ],
  ['a completed pod', { apiVersion: 'v1', kind: 'Pod', status: { phase: 'Succeeded' } }, 'done'],
  [
    'a custom resource with condition Ready=False',
    { apiVersion: 'x/v1', kind: 'Thing', status: { conditions: [{ type: 'Ready', status: 'False' }] } },
    'working',
  ],
])('judges the readiness of %s', (_, object, state) => {
  expect(readinessOf({ metadata: { name: 'x', generation: 2 }, ...object }).state).toBe(state)
})
