import { expect, it } from 'vitest'
import { troubleOf } from './trouble.ts'

const pod = (name: string, status: object, metadata: object = {}) =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, status }) as never
const waiting = (reason: string, message?: string) => ({ state: { waiting: { reason, message } } })
const deployment = (status: object = {}) => ({ kind: 'Deployment', metadata: { name: 'carabiner' }, status }) as never

it('names every reason once, with a pod that has it', () => {
  const pull = { containerStatuses: [waiting('ImagePullBackOff', 'Back-off pulling image "x"')] }
  const crash = {
    containerStatuses: [
      { ...waiting('CrashLoopBackOff'), restartCount: 3, lastState: { terminated: { exitCode: 1, reason: 'Error' } } },
    ],
  }
  const unscheduled = {
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no nodes' }],
  }
  const pods = [
    pod('a', pull),
    pod('b', pull),
    pod('c', crash),
    pod('d', unscheduled),
    pod('e', { containerStatuses: [waiting('ContainerCreating')] }),
    pod('f', crash, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  ]
  expect(troubleOf(deployment(), pods)).toEqual([
    'pod a: ImagePullBackOff: Back-off pulling image "x"',
    'pod c: CrashLoopBackOff, ended 3 times, exit code 1',
    'pod d: Unschedulable: no nodes',
  ])
})

it('has the refusal of a quota or of admission, for which there is no pod', () => {
  const conditions = [{ type: 'ReplicaFailure', status: 'True', message: 'pods "x" is forbidden: exceeded quota' }]
  expect(troubleOf(deployment({ conditions }), [])).toEqual(['pods "x" is forbidden: exceeded quota'])
})
