import { describe, expect, it } from 'vitest'
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

describe('a DaemonSet', () => {
  const set = (maxUnavailable: number | string | undefined, status: object, type = 'RollingUpdate') =>
    readinessOf({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent', generation: 2 },
      spec: {
        updateStrategy: { type, ...(maxUnavailable === undefined ? {} : { rollingUpdate: { maxUnavailable } }) },
      },
      status: { observedGeneration: 2, desiredNumberScheduled: 10, updatedNumberScheduled: 10, ...status },
    } as never)

  it.each<[string, ReturnType<typeof set>, string]>([
    ['all are available', set(1, { numberAvailable: 10 }), 'done'],
    ['as many are unavailable as the update allows', set(3, { numberAvailable: 7 }), 'done'],
    ['one more is unavailable', set(3, { numberAvailable: 6 }), 'working'],
    ['a percentage is rounded up', set('25%', { numberAvailable: 7 }), 'done'],
    ['the default allows one', set(undefined, { numberAvailable: 9 }), 'done'],
    ['an update is under way', set(3, { numberAvailable: 10, updatedNumberScheduled: 9 }), 'working'],
    ['nothing is available, though all may be unavailable', set('100%', { numberAvailable: 0 }), 'working'],
    ['no node is selected', set(1, { desiredNumberScheduled: 0, updatedNumberScheduled: 0 }), 'done'],
    ['the generation is not observed', set(3, { numberAvailable: 10, observedGeneration: 1 }), 'working'],
    [
      'pods are replaced by hand',
      set(undefined, { numberAvailable: 10, updatedNumberScheduled: 2 }, 'OnDelete'),
      'done',
    ],
  ])('%s', (_, { state }, expected) => {
    expect(state).toBe(expected)
  })
})
