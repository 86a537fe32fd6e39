/** DaemonSets: one pod per node, and how they are replaced. */
import { expect, it } from 'vitest'
import { onCluster } from './suite.ts'
import type { Thing } from './target.ts'
import { count, daemonSet, imageOf, mergePatch, podsByImage, podTemplate } from './workloads.ts'

onCluster('daemon sets', (cluster) => {
  const base = (ns: string) => `/apis/apps/v1/namespaces/${ns}/daemonsets`
  const patch = (ns: string, body: unknown) => cluster.call('PATCH', `${base(ns)}/agent`, { headers: mergePatch, body })
  const image = (version: number, settings = {}) => ({
    spec: { template: podTemplate('agent', `example/app:${version}`, settings) },
  })
  const complete = (ns: string) => cluster.until(`${base(ns)}/agent`, isComplete)

  it('runs one pod on every node', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), daemonSet('agent'))
    const set = await complete(ns)
    const nodes = (await cluster.call('GET', '/api/v1/nodes')).body.items
    expect(count(set, 'numberAvailable')).toBe(nodes.length)
    const pods = (await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body.items
    expect(pods.map((pod) => pod.spec['nodeName']).sort()).toEqual(nodes.map((node) => node.metadata.name).sort())
    expect(pods[0]?.spec['tolerations']).toContainEqual({
      key: 'node.kubernetes.io/not-ready',
      operator: 'Exists',
      effect: 'NoExecute',
    })
  })

  it('replaces pods within maxUnavailable', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), daemonSet('agent'))
    await complete(ns)
    await patch(ns, image(2, { 'ready-delay': 'never' }))
    await cluster.until(`${base(ns)}/agent`, (set) => count(set, 'updatedNumberScheduled') === 1)
    expect(await podsByImage(cluster, ns, 'agent')).toMatchObject({ 'example/app:2': 1 })
    await patch(ns, image(3, { 'ready-delay': '0s' }))
    await complete(ns)
    expect(Object.keys(await podsByImage(cluster, ns, 'agent'))).toEqual(['example/app:3'])
  })

  it('keeps the old pod until the new one is ready with maxSurge', async () => {
    const ns = await cluster.namespace()
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    await cluster.create(base(ns), daemonSet('agent', { updateStrategy }))
    await complete(ns)
    await patch(ns, image(2))
    const done = await complete(ns)
    await cluster.untilList(
      `/api/v1/namespaces/${ns}/pods`,
      (pods) => pods.length === count(done, 'desiredNumberScheduled'),
    )
  })

  it('updates pods only after deletion with OnDelete', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), daemonSet('agent', { updateStrategy: { type: 'OnDelete' } }))
    const before = await complete(ns)
    const changed = (await patch(ns, image(2))).body
    await cluster.until(`${base(ns)}/agent`, (set) => count(set, 'observedGeneration') === changed.metadata.generation)
    const [pod] = (await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body.items
    await cluster.call('DELETE', `/api/v1/namespaces/${ns}/pods/${pod?.metadata.name}`)
    await cluster.untilList(
      `/api/v1/namespaces/${ns}/pods`,
      (pods) => pods.filter((one) => imageOf(one) === 'example/app:2').length === 1,
    )
    const nodes = count(before, 'desiredNumberScheduled')
    await cluster.until(
      `${base(ns)}/agent`,
      (set) => count(set, 'numberReady') === nodes && count(set, 'updatedNumberScheduled') === 1,
    )
  })

  it('respects its node selector', async () => {
    const ns = await cluster.namespace()
    const [node] = (await cluster.call('GET', '/api/v1/nodes')).body.items
    const template = podTemplate('agent')
    const nodeSelector = { [`only-${ns}`]: 'here' }
    await cluster.create(
      base(ns),
      daemonSet('agent', { template: { ...template, spec: { ...template.spec, nodeSelector } } }),
    )
    await cluster.until(
      `${base(ns)}/agent`,
      (set) => count(set, 'observedGeneration') === 1 && count(set, 'desiredNumberScheduled') === 0,
    )
    const label = (value: string | null) =>
      cluster.call('PATCH', `/api/v1/nodes/${node?.metadata.name}`, {
        headers: mergePatch,
        body: { metadata: { labels: { [`only-${ns}`]: value } } },
      })
    await label('here')
    await cluster.until(`${base(ns)}/agent`, (set) => count(set, 'numberReady') === 1)
    await label(null)
    await cluster.untilList(`/api/v1/namespaces/${ns}/pods`, (pods) => pods.length === 0)
  })

  it('replaces a failed pod', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), daemonSet('agent'))
    await complete(ns)
    const path = `/api/v1/namespaces/${ns}/pods`
    const [pod] = (await cluster.call('GET', path)).body.items
    await cluster.call('PATCH', `${path}/${pod?.metadata.name}/status`, {
      headers: mergePatch,
      body: { status: { phase: 'Failed' } },
    })
    await cluster.untilGone(`${path}/${pod?.metadata.name}`)
    await complete(ns)
  })
})

function isComplete(set: Thing): boolean {
  const wanted = count(set, 'desiredNumberScheduled')
  const seen = count(set, 'observedGeneration') === set.metadata.generation && wanted > 0
  return seen && count(set, 'updatedNumberScheduled') === wanted && count(set, 'numberAvailable') === wanted
}
