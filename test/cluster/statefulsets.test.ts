/** StatefulSets: order, partitions, revisions. */
import { expect, it } from 'vitest'
import { onCluster } from './suite.ts'
import { stream, type Thing } from './target.ts'
import { conditionOf, count, imageOf, mergePatch, podTemplate, statefulSet } from './workloads.ts'

onCluster('stateful sets', (cluster) => {
  const base = (ns: string) => `/apis/apps/v1/namespaces/${ns}/statefulsets`
  const patch = (ns: string, body: unknown) => cluster.call('PATCH', `${base(ns)}/db`, { headers: mergePatch, body })
  const image = (version: number, settings = {}) => ({
    spec: { template: podTemplate('db', `example/app:${version}`, settings) },
  })
  const partition = (value: number) => ({ spec: { updateStrategy: { rollingUpdate: { partition: value } } } })
  const ready = (ns: string, replicas: number) =>
    cluster.until(
      `${base(ns)}/db`,
      (set) => count(set, 'readyReplicas') === replicas && count(set, 'replicas') === replicas,
    )
  const updated = (ns: string, pods: number) =>
    cluster.until(
      `${base(ns)}/db`,
      (set) =>
        count(set, 'updatedReplicas') === pods &&
        count(set, 'readyReplicas') === set.spec['replicas'] &&
        count(set, 'observedGeneration') === set.metadata.generation,
    )
  const images = async (ns: string) => {
    const pods = (await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body.items
    return Object.fromEntries(pods.map((pod) => [pod.metadata.name, imageOf(pod)?.replace('example/app:', '')]))
  }

  it('starts pods in order with stable names', async () => {
    const ns = await cluster.namespace()
    const path = `/api/v1/namespaces/${ns}/pods`
    const start = (await cluster.call('GET', path)).body.metadata.resourceVersion
    await cluster.create(base(ns), statefulSet('db', 3))
    const set = await ready(ns, 3)
    // Uses the watch events, because the status of the pods can change later.
    const steps: string[] = []
    const left = new AbortController()
    const watch = `${path}?watch=1&resourceVersion=${start}`
    for await (const line of stream(cluster.target, watch, { signal: left.signal })) {
      const { type, object } = JSON.parse(line) as { type: string; object: Thing }
      const isReady = conditionOf(object, 'Ready')?.status === 'True'
      const step = `${object.metadata.name} ${type === 'ADDED' ? 'comes' : 'is ready'}`
      if ((type === 'ADDED' || isReady) && !steps.includes(step)) steps.push(step)
      if (steps.length === 6) left.abort()
    }
    expect(steps).toEqual(['db-0', 'db-1', 'db-2'].flatMap((name) => [`${name} comes`, `${name} is ready`]))
    const pods = (await cluster.call('GET', path)).body.items
    expect(pods[0]?.metadata.labels).toMatchObject({
      'apps.kubernetes.io/pod-index': '0',
      'statefulset.kubernetes.io/pod-name': 'db-0',
      'controller-revision-hash': (set.status as { currentRevision: string }).currentRevision,
    })
  })

  it('updates from the highest ordinal down to the partition', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), statefulSet('db', 3))
    await ready(ns, 3)
    await patch(ns, partition(2))
    await patch(ns, image(2))
    const held = await updated(ns, 1)
    expect(await images(ns)).toEqual({ 'db-0': '1', 'db-1': '1', 'db-2': '2' })
    const { currentRevision, updateRevision } = held.status as { currentRevision: string; updateRevision: string }
    expect(currentRevision).not.toBe(updateRevision)
    await patch(ns, partition(0))
    await cluster.until(
      `${base(ns)}/db`,
      (set) => (set.status as { currentRevision: string }).currentRevision === updateRevision,
    )
    expect(await images(ns)).toEqual({ 'db-0': '2', 'db-1': '2', 'db-2': '2' })
  })

  it('updates no pod with a partition above all ordinals, also when scaled', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), statefulSet('db', 2))
    await ready(ns, 2)
    await patch(ns, partition(2_147_483_647))
    await patch(ns, image(2))
    await cluster.until(`${base(ns)}/db`, (set) => count(set, 'observedGeneration') === set.metadata.generation)
    await patch(ns, { spec: { replicas: 3 } })
    await ready(ns, 3)
    expect(await images(ns)).toEqual({ 'db-0': '1', 'db-1': '1', 'db-2': '1' })
    const revisions = (await cluster.call('GET', `/apis/apps/v1/namespaces/${ns}/controllerrevisions`)).body.items
    expect(revisions).toHaveLength(2)
  })

  it('renumbers the revision it returns to', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), statefulSet('db', 1))
    await ready(ns, 1)
    await patch(ns, image(2))
    await updated(ns, 1)
    await patch(ns, image(1))
    await updated(ns, 1)
    const revisions = (await cluster.call('GET', `/apis/apps/v1/namespaces/${ns}/controllerrevisions`)).body
      .items as unknown as { revision: number }[]
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([2, 3])
  })

  it('starts at spec.ordinals.start', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), statefulSet('db', 2, { ordinals: { start: 5 } }))
    await ready(ns, 2)
    expect(Object.keys(await images(ns)).sort()).toEqual(['db-5', 'db-6'])
  })

  it('starts all pods at once with podManagementPolicy Parallel', async () => {
    const ns = await cluster.namespace()
    const template = podTemplate('db', 'example/app:1', { 'ready-delay': 'never' })
    await cluster.create(base(ns), statefulSet('db', 3, { podManagementPolicy: 'Parallel', template }))
    await cluster.untilList(`/api/v1/namespaces/${ns}/pods`, (pods) => pods.length === 3)
  })

  it('waits for a pod that is not ready', async () => {
    const ns = await cluster.namespace()
    const template = podTemplate('db', 'example/app:1', { 'ready-delay': 'never' })
    await cluster.create(base(ns), statefulSet('db', 3, { template }))
    await cluster.until(
      `/api/v1/namespaces/${ns}/pods/db-0`,
      (pod) => (pod.status as { phase: string }).phase === 'Running',
    )
    await cluster.until(`${base(ns)}/db`, (set) => count(set, 'replicas') === 1)
    expect(Object.keys(await images(ns))).toEqual(['db-0'])
  })

  it('waits for a broken pod even when the template is fixed', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), statefulSet('db', 2))
    await ready(ns, 2)
    await patch(ns, image(2, { 'ready-delay': 'never' }))
    await cluster.until(
      `/api/v1/namespaces/${ns}/pods/db-1`,
      (pod) => imageOf(pod) === 'example/app:2' && (pod.status as { phase: string }).phase === 'Running',
    )
    const fixed = (await patch(ns, image(3, { 'ready-delay': '0s' }))).body
    await cluster.until(`${base(ns)}/db`, (set) => count(set, 'observedGeneration') === fixed.metadata.generation)
    expect(await images(ns)).toEqual({ 'db-0': '1', 'db-1': '2' })
    await cluster.call('DELETE', `/api/v1/namespaces/${ns}/pods/db-1`)
    await updated(ns, 2)
    expect(await images(ns)).toEqual({ 'db-0': '3', 'db-1': '3' })
  })

  it('scales down from the highest ordinal', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), statefulSet('db', 3))
    await ready(ns, 3)
    await patch(ns, { spec: { replicas: 1 } })
    await cluster.untilList(`/api/v1/namespaces/${ns}/pods`, (pods) => names(pods) === 'db-0')
  })

  it('updates pods only after deletion with OnDelete', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), statefulSet('db', 2, { updateStrategy: { type: 'OnDelete' } }))
    await ready(ns, 2)
    const changed = (await patch(ns, image(2))).body
    await cluster.until(`${base(ns)}/db`, (set) => count(set, 'observedGeneration') === changed.metadata.generation)
    await cluster.call('DELETE', `/api/v1/namespaces/${ns}/pods/db-0`)
    await cluster.until(`/api/v1/namespaces/${ns}/pods/db-0`, (pod) => imageOf(pod) === 'example/app:2')
    expect((await images(ns))['db-1']).toBe('1')
  })
})

function names(pods: readonly Thing[]): string {
  return pods.map((pod) => pod.metadata.name).join()
}
