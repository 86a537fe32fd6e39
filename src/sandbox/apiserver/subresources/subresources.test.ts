import { describe, expect, it } from 'vitest'
import type { Json } from '../../../runtime/json.ts'
import { deploymentNamed, podNamed, TestCluster } from '../testing/cluster.ts'
import type { PodLogRequest } from './log.ts'

const pods = '/api/v1/namespaces/default/pods'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

describe('scale', () => {
  it('reads and writes the replicas of a deployment', async () => {
    const cluster = new TestCluster()
    await cluster.post(deployments, deploymentNamed('web'))
    await cluster.patch(`${deployments}/web/status`, { status: { replicas: 1 } })
    const scale = await cluster.get(`${deployments}/web/scale`)
    expect(scale.body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'app=web' },
    })
    expect((await cluster.patch(`${deployments}/web/scale`, { spec: { replicas: 7 } })).at('spec', 'replicas')).toBe(7)
    expect((await cluster.get(`${deployments}/web`)).at('spec', 'replicas')).toBe(7)
    const wrong = await cluster.patch(`${deployments}/web/scale`, { spec: { replicas: -1 } })
    expect(wrong.at('message')).toBe(
      'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    )
    const stale = { metadata: { name: 'web', resourceVersion: '1' }, spec: { replicas: 1 } }
    expect((await cluster.call('PUT', `${deployments}/web/scale`, stale)).status).toBe(409)
  })
})

describe('binding', () => {
  it('binds a pod to a node once', async () => {
    const cluster = new TestCluster()
    await cluster.post(pods, podNamed('web'))
    const bind = (node: string) =>
      cluster.post(`${pods}/web/binding`, { metadata: { name: 'web' }, target: { kind: 'Node', name: node } })
    expect((await bind('n1')).status).toBe(201)
    const pod = await cluster.get(`${pods}/web`)
    expect(pod.at('spec', 'nodeName')).toBe('n1')
    expect(pod.at('status', 'conditions')).toMatchObject([{ type: 'PodScheduled', status: 'True' }])
    const again = await bind('n2')
    expect([again.status, again.at('message')]).toEqual([
      409,
      'Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n1"',
    ])
  })
})

describe('eviction', () => {
  async function withBudget(disruptionsAllowed: number): Promise<TestCluster> {
    const cluster = new TestCluster()
    await cluster.post(pods, podNamed('web', { nodeName: 'n1' }, { app: 'web' }))
    await cluster.patch(`${pods}/web/status`, {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    })
    await cluster.post(budgets, {
      metadata: { name: 'b' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    })
    const status = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed, expectedPods: 1 }
    await cluster.patch(`${budgets}/b/status`, { status })
    return cluster
  }
  const evict = (cluster: TestCluster) => cluster.post(`${pods}/web/eviction`, { metadata: { name: 'web' } })

  it('is refused when the budget allows no disruption', async () => {
    const reply = await evict(await withBudget(0))
    expect([reply.status, reply.at('message')]).toEqual([
      429,
      "Cannot evict pod as it would violate the pod's disruption budget.",
    ])
    expect((reply.at('details', 'causes') as readonly Json[])[0]).toEqual({
      reason: 'DisruptionBudget',
      message: 'The disruption budget b needs 1 healthy pods and has 1 currently',
    })
  })

  it('decrements the budget and deletes the pod', async () => {
    const cluster = await withBudget(1)
    expect((await evict(cluster)).status).toBe(201)
    const pod = await cluster.get(`${pods}/web`)
    expect(pod.at('metadata', 'deletionGracePeriodSeconds')).toBe(30)
    expect(pod.text).toContain('"reason":"EvictionByEvictionAPI"')
    const budget = await cluster.get(`${budgets}/b`)
    expect(budget.at('status', 'disruptionsAllowed')).toBe(0)
    expect(budget.at('status', 'disruptedPods')).toEqual({ web: '2026-01-01T00:00:00Z' })
  })
})

describe('log', () => {
  it('is read from the log source with all query options', async () => {
    const asked: PodLogRequest[] = []
    const cluster = new TestCluster({
      podLogs: async (request) => {
        asked.push(request)
        return new TextEncoder().encode('hello\n')
      },
    })
    await cluster.post(pods, podNamed('web', { nodeName: 'n1' }))
    const reply = await cluster.get(`${pods}/web/log?tailLines=5&follow=true&timestamps=true`)
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([200, 'hello\n', 'text/plain'])
    expect(asked[0]).toMatchObject({
      pod: 'web',
      node: 'n1',
      container: 'main',
      tailLines: 5,
      follow: true,
      timestamps: true,
    })
  })

  it('requires a container name when there are several', async () => {
    const cluster = new TestCluster()
    const containers = ['a', 'b'].map((name) => ({ name, image: 'app:1' }))
    await cluster.post(pods, podNamed('web', { containers, nodeName: 'n1' }))
    const unnamed = await cluster.get(`${pods}/web/log`)
    expect(unnamed.at('message')).toBe('a container name must be specified for pod web, choose one of: [a b]')
    expect((await cluster.get(`${pods}/web/log?container=c`)).at('message')).toBe(
      'container c is not valid for pod web',
    )
  })
})

describe('unsupported subresources', () => {
  it('get 404, 405 or 501', async () => {
    const cluster = new TestCluster()
    await cluster.post(pods, podNamed('web'))
    expect((await cluster.get(`${pods}/web/nothing`)).status).toBe(404)
    expect((await cluster.post(`${pods}/web/log`, {})).status).toBe(405)
    const exec = await cluster.post(`${pods}/web/exec`, {})
    expect([exec.status, exec.at('kind'), exec.at('reason')]).toEqual([501, 'Status', 'NotImplemented'])
  })
})
