import { describe, expect, it } from 'vitest'
import type { KubeObject } from './object.ts'
import { progressOf } from './progress.ts'

const object = (kind: string, spec: object, status: object, generation = 1) =>
  ({ apiVersion: 'x/v1', kind, metadata: { name: 'a', generation }, spec, status }) as unknown as KubeObject
const condition = (type: string, status: string, more: object = {}) => ({ conditions: [{ type, status, ...more }] })

describe('progressOf', () => {
  it.each([
    [
      'a rolled out Deployment',
      object(
        'Deployment',
        { replicas: 2 },
        { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
      ),
      'done',
      'as wanted',
    ],
    [
      'one with old pods left',
      object(
        'Deployment',
        { replicas: 2 },
        { observedGeneration: 1, replicas: 3, updatedReplicas: 2, availableReplicas: 2 },
      ),
      'working',
      'replicas: 3 of 2',
    ],
    [
      'one whose change is not seen yet',
      object('Deployment', { replicas: 2 }, { observedGeneration: 1 }, 2),
      'working',
      'the new generation is not observed yet',
    ],
    [
      'one over its deadline',
      object(
        'Deployment',
        {},
        {
          observedGeneration: 1,
          ...condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded', message: 'too late' }),
        },
      ),
      'failed',
      'too late',
    ],
    [
      'a partitioned StatefulSet',
      object(
        'StatefulSet',
        { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } },
        { observedGeneration: 1, readyReplicas: 2 },
      ),
      'done',
      'as wanted',
    ],
    [
      'a DaemonSet on its way',
      object('DaemonSet', {}, { observedGeneration: 1, desiredNumberScheduled: 3, updatedNumberScheduled: 2 }),
      'working',
      'updatedNumberScheduled: 2 of 3',
    ],
    ['a finished Job', object('Job', {}, condition('Complete', 'True')), 'done', 'as wanted'],
    ['a failed Job', object('Job', {}, condition('Failed', 'True', { message: 'backoff' })), 'failed', 'backoff'],
    ['a ConfigMap', object('ConfigMap', {}, {}), 'done', 'as wanted'],
    [
      'a custom resource that stalls',
      object('Widget', {}, condition('Stalled', 'True', { message: 'stuck' })),
      'failed',
      'stuck',
    ],
  ])('knows %s', (_, given, state, message) => {
    expect(progressOf(given)).toEqual({ state, message })
  })
})
