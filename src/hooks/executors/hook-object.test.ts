import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../kube/index.ts'
import { projectHookObject } from './hook-object.ts'

const podWith = (status: object): KubeObject & { readonly status: object } => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'migrate', namespace: 'shop', uid: 'p' } },
  ...{ spec: { containers: [] }, status },
})
const ended = (name: string, exitCode: number, reason: string) => ({
  name,
  state: { terminated: { exitCode, reason, finishedAt: '2026-01-01T00:01:00Z' } },
})

describe('the failure of a pod', () => {
  it('[rollouts W32] has the container that failed and its exit code', () => {
    const containerStatuses = [ended('log', 0, 'Completed'), ended('main', 3, 'Error')]
    expect(projectHookObject(podWith({ phase: 'Failed', containerStatuses })).observation).toMatchObject({
      ...{ state: 'failed', reason: 'Failed', kubernetesReason: 'Error' },
      ...{ message: 'container main ended with exit code 3', at: Date.UTC(2026, 0, 1, 0, 1) },
    })
  })

  it('[rollouts W32] says that memory ran out, also in an init container', () => {
    const initContainerStatuses = [ended('wait', 137, 'OOMKilled')]
    expect(projectHookObject(podWith({ phase: 'Failed', initContainerStatuses })).observation).toMatchObject({
      ...{ kubernetesReason: 'OOMKilled', message: 'container wait ended with exit code 137' },
    })
  })

  it('[rollouts W33] is none of its own when Kubernetes took it away', () => {
    const reason = 'EvictionByEvictionAPI'
    const conditions = [{ type: 'DisruptionTarget', status: 'True', reason, message: 'Eviction API: evicting' }]
    const containerStatuses = [ended('main', 143, 'Error')]
    const failed = projectHookObject(podWith({ phase: 'Failed', conditions, containerStatuses }))
    expect(failed.observation).toMatchObject({
      ...{ state: 'failed', reason: 'Disrupted', kubernetesReason: reason, message: 'Eviction API: evicting' },
    })
    const running = projectHookObject(podWith({ phase: 'Running', conditions }))
    expect(running).toMatchObject({ disruption: 'Eviction API: evicting', observation: { state: 'running' } })
    const spared = [{ ...conditions[0], status: 'False' }]
    expect(projectHookObject(podWith({ phase: 'Failed', conditions: spared })).observation).toMatchObject({
      reason: 'Failed',
    })
  })

  it('[rollouts W32] says why it was evicted, in bounded length', () => {
    const message = 'The node was low on resource: memory'
    const status = { phase: 'Failed', reason: 'Evicted', message, containerStatuses: [ended('main', 137, 'Error')] }
    expect(projectHookObject(podWith(status)).observation).toMatchObject({
      ...{ kubernetesReason: 'Evicted', message: `${message}; container main ended with exit code 137` },
    })
    const long = projectHookObject(podWith({ phase: 'Failed', message: 'x'.repeat(9000) })).observation
    expect(JSON.stringify(long).length).toBeLessThan(1000)
  })
})
