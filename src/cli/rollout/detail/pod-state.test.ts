import { expect, it } from 'vitest'
import type { Pod } from '../../../kube/kinds/index.ts'
import { isTroubled, podState } from './pod-state.ts'

const container = (state: object, more: object = {}) => ({
  ...{ name: 'main', ready: false, restartCount: 0, image: '', imageID: '', state },
  ...more,
})
const pod = (status: object, metadata: object = {}) =>
  ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1', creationTimestamp: '', ...metadata } },
    ...{ spec: { containers: [{ name: 'main' }, { name: 'side' }] }, status },
  }) as unknown as Pod
const running = container({ running: {} }, { ready: true })
const waits = (reason: string, message?: string) => container({ waiting: { reason, message } })
const initDone = container({ terminated: { exitCode: 0 } })

it.each<[string, Pod, boolean]>([
  ['Running', pod({ phase: 'Running', containerStatuses: [running, running] }), false],
  ['Pending', pod({ phase: 'Pending' }), false],
  ['ContainerCreating', pod({ phase: 'Pending', containerStatuses: [waits('ContainerCreating')] }), false],
  ['ImagePullBackOff', pod({ phase: 'Pending', containerStatuses: [waits('ImagePullBackOff'), running] }), true],
  ['CrashLoopBackOff', pod({ phase: 'Running', containerStatuses: [running, waits('CrashLoopBackOff')] }), true],
  ['Init:1/2', pod({ phase: 'Pending', initContainerStatuses: [initDone, container({ running: {} })] }), false],
  ['Init:ErrImagePull', pod({ phase: 'Pending', initContainerStatuses: [waits('ErrImagePull')] }), true],
  [
    'Completed',
    pod({ phase: 'Succeeded', containerStatuses: [container({ terminated: { exitCode: 0, reason: 'Completed' } })] }),
    false,
  ],
  [
    'Error',
    pod({ phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 1, reason: 'Error' } })] }),
    true,
  ],
  ['ExitCode:3', pod({ phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 3 } })] }), true],
  ['Evicted', pod({ phase: 'Failed', reason: 'Evicted' }), true],
  ['Terminating', pod({ phase: 'Running', containerStatuses: [running] }, { deletionTimestamp: 'x' }), false],
])('%s', (state, of, troubled) => {
  expect(podState(of).state).toBe(state)
  expect(isTroubled(podState(of))).toBe(troubled)
})

it('counts ready containers and restarts, and says what a pod waits for', () => {
  const restarted = container({ running: {} }, { ready: true, restartCount: 2 })
  const seen = podState(pod({ containerStatuses: [restarted, waits('CrashLoopBackOff', 'back-off 10s')] }))
  expect(seen).toMatchObject({ ready: '1/2', restarts: 2, message: 'back-off 10s' })
  const unscheduled = [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }]
  const lost = podState(pod({ phase: 'Pending', conditions: unscheduled }))
  expect([lost.message, isTroubled(lost)]).toEqual(['0/3 nodes are available', true])
})
