/** Deployments and ReplicaSets: the behaviour of the controller, observed by a client. */
import { describe, expect, it } from 'vitest'
import { type Cluster, onCluster } from './suite.ts'
import { call, stream, type Target, type Thing } from './target.ts'
import {
  conditionOf,
  count,
  deployment,
  imageOf,
  isRolledOut,
  mergePatch,
  podsByImage,
  podTemplate,
} from './workloads.ts'

/** Watches the ReplicaSets of a namespace and records minimum and maximum sizes. */
class Extremes {
  mostPods = 0
  fewestAvailable = Number.POSITIVE_INFINITY
  readonly #left = new AbortController()
  readonly #sets = new Map<string, Thing>()
  readonly #last: string
  readonly #replicas: number
  #following = Promise.resolve()

  /** The image of the last version. */
  private constructor(image: string, replicas: number) {
    this.#last = image
    this.#replicas = replicas
  }

  static async from(target: Target, ns: string, image: string, replicas: number): Promise<Extremes> {
    const path = `/apis/apps/v1/namespaces/${ns}/replicasets`
    const list = await call(target, 'GET', path)
    const extremes = new Extremes(image, replicas)
    for (const set of list.body.items) extremes.#sets.set(set.metadata.name, set)
    extremes.#following = extremes.#follow(
      target,
      `${path}?watch=1&resourceVersion=${list.body.metadata.resourceVersion}`,
    )
    return extremes
  }

  async #follow(target: Target, path: string): Promise<void> {
    for await (const line of stream(target, path, { signal: this.#left.signal })) {
      const { object } = JSON.parse(line) as { object: Thing }
      this.#sets.set(object.metadata.name, object)
      const sets = [...this.#sets.values()]
      const sum = (read: (set: Thing) => number) => sets.reduce((total, set) => total + read(set), 0)
      this.mostPods = Math.max(
        this.mostPods,
        sum((set) => set.spec['replicas'] as number),
      )
      this.fewestAvailable = Math.min(
        this.fewestAvailable,
        sum((set) => count(set, 'availableReplicas')),
      )
      const isOld = (set: Thing) => imageOf(set) !== this.#last && (set.spec['replicas'] as number) > 0
      const isDone = (set: Thing) => imageOf(set) === this.#last && count(set, 'availableReplicas') === this.#replicas
      if (sets.some(isDone) && !sets.some(isOld)) this.#left.abort()
    }
  }

  /** Resolves when all ReplicaSet events up to the end were received: the Deployment watch can be ahead. */
  seen(): Promise<void> {
    return this.#following
  }
}

async function rolledOut(cluster: Cluster, ns: string, name = 'web'): Promise<Thing> {
  return cluster.until(`/apis/apps/v1/namespaces/${ns}/deployments/${name}`, isRolledOut)
}

onCluster('deployments', (cluster) => {
  const base = (ns: string) => `/apis/apps/v1/namespaces/${ns}/deployments`
  const sets = async (ns: string) =>
    (await cluster.call('GET', `/apis/apps/v1/namespaces/${ns}/replicasets`)).body.items
  const patch = async (ns: string, body: unknown, name = 'web') => {
    const answer = await cluster.call('PATCH', `${base(ns)}/${name}`, { headers: mergePatch, body })
    expect(answer.status).toBe(200)
    return answer.body
  }
  const image = (version: number, settings = {}) => ({
    spec: { template: podTemplate('web', `example/app:${version}`, settings) },
  })

  it('creates pods and reports them', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), deployment('web', 3))
    const done = await rolledOut(cluster, ns)
    expect(done.status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      updatedReplicas: 3,
      observedGeneration: 1,
    })
    expect(conditionOf(done, 'Available')).toMatchObject({
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: 'Deployment has minimum availability.',
    })
    const progressing = await cluster.until(
      `${base(ns)}/web`,
      (object) => conditionOf(object, 'Progressing')?.reason === 'NewReplicaSetAvailable',
    )
    const [set] = await sets(ns)
    expect(conditionOf(progressing, 'Progressing')?.message).toBe(
      `ReplicaSet "${set?.metadata.name}" has successfully progressed.`,
    )
    expect(set?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
      'deployment.kubernetes.io/revision': '1',
    })
    expect(set?.metadata.labels?.['pod-template-hash']).toBe(set?.metadata.name.replace('web-', ''))
    expect(set?.metadata.ownerReferences?.[0]).toMatchObject({
      kind: 'Deployment',
      name: 'web',
      controller: true,
      blockOwnerDeletion: true,
    })
  })

  describe.each([
    [{ maxSurge: '25%', maxUnavailable: '25%' }, 4, 5, 3],
    [{ maxSurge: 1, maxUnavailable: 0 }, 4, 5, 4],
    [{ maxSurge: 0, maxUnavailable: 1 }, 4, 4, 3],
    [{ maxSurge: '100%', maxUnavailable: 0 }, 3, 6, 3],
    [{ maxSurge: 2, maxUnavailable: 2 }, 5, 7, 3],
  ])('with %j and %i replicas', (rollingUpdate, replicas, most, fewest) => {
    it(`has at most ${most} pods and at least ${fewest} available`, async () => {
      const ns = await cluster.namespace()
      const strategy = { type: 'RollingUpdate', rollingUpdate }
      await cluster.create(base(ns), deployment('web', replicas, { strategy }))
      await rolledOut(cluster, ns)
      const extremes = await Extremes.from(cluster.target, ns, 'example/app:2', replicas)
      await patch(ns, image(2))
      await rolledOut(cluster, ns)
      await extremes.seen()
      expect(extremes.mostPods).toBe(most)
      expect(extremes.fewestAvailable).toBeGreaterThanOrEqual(fewest)
      expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:2': replicas })
    })
  })

  it('creates no new pod before the last old one is deleted with strategy Recreate', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), deployment('web', 2, { strategy: { type: 'Recreate' } }))
    await rolledOut(cluster, ns)
    const pods = (await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body
    await patch(ns, image(2))
    await rolledOut(cluster, ns)
    const left = new AbortController()
    const alive = new Map(pods.items.map((pod) => [pod.metadata.name, imageOf(pod)]))
    let mixed = false
    for await (const line of stream(
      cluster.target,
      `/api/v1/namespaces/${ns}/pods?watch=1&resourceVersion=${pods.metadata.resourceVersion}`,
      { signal: left.signal },
    )) {
      const { type, object } = JSON.parse(line) as { type: string; object: Thing }
      if (type === 'DELETED') alive.delete(object.metadata.name)
      else alive.set(object.metadata.name, imageOf(object))
      mixed ||= new Set(alive.values()).size > 1
      if (alive.size === 2 && [...alive.values()].every((used) => used === 'example/app:2')) left.abort()
    }
    expect(mixed).toBe(false)
  })

  it('starts no rollout while paused and continues when resumed', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), deployment('web', 2))
    await rolledOut(cluster, ns)
    await patch(ns, { spec: { paused: true } })
    await cluster.until(
      `${base(ns)}/web`,
      (object) => conditionOf(object, 'Progressing')?.reason === 'DeploymentPaused',
    )
    const changed = await patch(ns, image(2))
    await cluster.until(
      `${base(ns)}/web`,
      (object) => count(object, 'observedGeneration') === changed.metadata.generation,
    )
    expect(await sets(ns)).toHaveLength(1)
    await patch(ns, { spec: { replicas: 3 } })
    await cluster.until(`${base(ns)}/web`, (object) => count(object, 'availableReplicas') === 3)
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:1': 3 })
    await patch(ns, { spec: { paused: false } })
    await rolledOut(cluster, ns)
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:2': 3 })
  })

  it('scales proportionally during a rollout', async () => {
    const ns = await cluster.namespace()
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } }
    await cluster.create(base(ns), deployment('web', 10, { strategy }))
    await rolledOut(cluster, ns)
    await patch(ns, image(2, { 'ready-delay': 'never' }))
    const sizes = (items: readonly Thing[]) => items.map((set) => set.spec['replicas'] as number).sort((a, b) => a - b)
    await cluster.untilList(`/apis/apps/v1/namespaces/${ns}/replicasets`, (items) => sizes(items).join() === '5,8')
    await patch(ns, { spec: { replicas: 15 } })
    const scaled = await cluster.untilList(
      `/apis/apps/v1/namespaces/${ns}/replicasets`,
      (items) => sizes(items).reduce((a, b) => a + b, 0) === 18,
    )
    expect(sizes(scaled)).toEqual([7, 11])
  })

  it('numbers revisions, reuses old ones and keeps the history limit', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), deployment('web', 1, { revisionHistoryLimit: 2 }))
    await rolledOut(cluster, ns)
    for (const version of [2, 3, 4]) {
      await patch(ns, image(version))
      await rolledOut(cluster, ns)
    }
    const kept = await cluster.untilList(`/apis/apps/v1/namespaces/${ns}/replicasets`, (items) => items.length === 3)
    expect(kept.map(revision).sort()).toEqual(['2', '3', '4'])
    await patch(ns, image(3))
    await rolledOut(cluster, ns)
    const reused = (await sets(ns)).find((set) => imageOf(set) === 'example/app:3')
    expect(reused?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '5',
      'deployment.kubernetes.io/revision-history': '3',
    })
  })

  it('reports ProgressDeadlineExceeded after the deadline', async () => {
    const ns = await cluster.namespace()
    await cluster.create(
      base(ns),
      deployment('web', 1, {
        progressDeadlineSeconds: 1,
        template: podTemplate('web', 'example/app:1', { 'ready-delay': 'never' }),
      }),
    )
    const failed = await cluster.until(
      `${base(ns)}/web`,
      (object) => conditionOf(object, 'Progressing')?.reason === 'ProgressDeadlineExceeded',
    )
    const [set] = await sets(ns)
    expect(conditionOf(failed, 'Progressing')).toMatchObject({
      status: 'False',
      message: `ReplicaSet "${set?.metadata.name}" has timed out progressing.`,
    })
    expect(conditionOf(failed, 'Available')).toMatchObject({ status: 'False', reason: 'MinimumReplicasUnavailable' })
  })

  it('waits minReadySeconds before a pod counts as available', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), deployment('web', 1, { minReadySeconds: 500 }))
    const ready = await cluster.until(`${base(ns)}/web`, (object) => count(object, 'readyReplicas') === 1)
    expect(count(ready, 'availableReplicas')).toBe(0)
    const [pod] = (await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body.items
    await patch(ns, { spec: { minReadySeconds: 5 } })
    const done = await rolledOut(cluster, ns)
    const since = (object: Thing | undefined, type: string) =>
      Date.parse((object && conditionOf(object, type)?.lastTransitionTime) ?? '')
    expect(since(done, 'Available') - since(pod, 'Ready')).toBeGreaterThanOrEqual(5000)
  })

  it('adopts a matching ReplicaSet while paused', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), deployment('web', 2, { paused: true }))
    const template = podTemplate('web')
    const labels = { app: 'web', 'pod-template-hash': 'mine' }
    const owned = await cluster.create(`/apis/apps/v1/namespaces/${ns}/replicasets`, {
      metadata: { name: 'web-mine', labels },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
    })
    await cluster.until(
      `/apis/apps/v1/namespaces/${ns}/replicasets/web-mine`,
      (set) => set.metadata.ownerReferences?.[0]?.name === 'web',
    )
    await patch(ns, { spec: { paused: false } })
    await rolledOut(cluster, ns)
    expect((await sets(ns)).map((set) => set.metadata.uid)).toEqual([owned.metadata.uid])
  })

  it('replaces a pod that is deleted', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), deployment('web', 2))
    await rolledOut(cluster, ns)
    const path = `/api/v1/namespaces/${ns}/pods`
    const [victim] = (await cluster.call('GET', path)).body.items
    await cluster.call('DELETE', `${path}/${victim?.metadata.name}`)
    const isReady = (pod: Thing) => conditionOf(pod, 'Ready')?.status === 'True'
    const isOther = (pod: Thing) => pod.metadata.uid !== victim?.metadata.uid
    await cluster.untilList(path, (pods) => pods.length === 2 && pods.every((pod) => isReady(pod) && isOther(pod)))
  })

  it('releases a pod whose labels no longer match and adopts a matching one', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns), deployment('web', 1))
    await rolledOut(cluster, ns)
    const path = `/api/v1/namespaces/${ns}/pods`
    const [pod] = (await cluster.call('GET', path)).body.items
    await cluster.call('PATCH', `${path}/${pod?.metadata.name}`, {
      headers: mergePatch,
      body: { metadata: { labels: { app: 'loose' } } },
    })
    const loose = await cluster.until(
      `${path}/${pod?.metadata.name}`,
      (object) => object.metadata.ownerReferences === undefined,
    )
    expect(loose.metadata.labels?.['app']).toBe('loose')
    await cluster.untilList(`${path}?labelSelector=app%3Dweb`, (items) => items.length === 1)
  })
})

function revision(set: Thing): string | undefined {
  return set.metadata.annotations?.['deployment.kubernetes.io/revision']
}
