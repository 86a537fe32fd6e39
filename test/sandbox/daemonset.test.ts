import { describe, expect, it } from 'vitest'
import { type DaemonSet, type Node, type Pod, resources } from '../../src/kube/kinds/index.ts'
import { inCluster, podTemplate, type TestCluster } from './cluster.ts'

function createSet(cluster: TestCluster, spec: Partial<DaemonSet['spec']> = {}): Promise<DaemonSet> {
  return cluster.create<DaemonSet>(resources.daemonSets, {
    metadata: { name: 'agent' },
    spec: { selector: { matchLabels: { app: 'web' } }, template: podTemplate(), ...spec },
  })
}

const get = (cluster: TestCluster) => cluster.get<DaemonSet>(resources.daemonSets, 'agent')
const isDone = ({ metadata, status }: DaemonSet) =>
  status?.observedGeneration === metadata.generation &&
  (status?.desiredNumberScheduled ?? 0) > 0 &&
  status?.updatedNumberScheduled === status?.desiredNumberScheduled &&
  status?.numberAvailable === status?.desiredNumberScheduled
const done = (cluster: TestCluster) => cluster.until(() => get(cluster), isDone)
const update = (cluster: TestCluster, image: string, spec: object = {}) =>
  cluster.patch(resources.daemonSets, 'agent', { spec: { template: podTemplate(image), ...spec } })
const pods = async (cluster: TestCluster) =>
  (await cluster.list<Pod>(resources.pods)).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
const images = async (cluster: TestCluster) => (await pods(cluster)).map(({ spec }) => spec.containers[0]?.image).sort()
const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false

describe('a DaemonSet in the sandbox', () => {
  it('runs one pod on every eligible node', async () => {
    await inCluster(
      async (cluster) => {
        await createSet(cluster, { template: podTemplate('web:1', { spec: { nodeSelector: { disk: 'ssd' } } }) })
        await done(cluster)
        expect((await pods(cluster)).map(({ spec }) => spec.nodeName).sort()).toEqual(['a', 'c'])
        expect((await get(cluster)).status).toMatchObject({
          desiredNumberScheduled: 2,
          currentNumberScheduled: 2,
          numberReady: 2,
          numberMisscheduled: 0,
        })
        const [pod] = await pods(cluster)
        expect(pod?.spec.tolerations).toContainEqual({
          key: 'node.kubernetes.io/unschedulable',
          operator: 'Exists',
          effect: 'NoSchedule',
        })
        await cluster.patch<Node>(resources.nodes, 'a', { metadata: { labels: { disk: 'hdd' } } })
        await cluster.patch<Node>(resources.nodes, 'd', { metadata: { labels: { disk: 'ssd' } } })
        await cluster.sleep(40)
        expect((await pods(cluster)).map(({ spec }) => spec.nodeName).sort()).toEqual(['c', 'd'])
      },
      {
        nodes: [
          { name: 'a', address: '10.0.0.1', labels: { disk: 'ssd' } },
          { name: 'b', address: '10.0.0.2', labels: { disk: 'ssd' }, taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
          { name: 'c', address: '10.0.0.3', labels: { disk: 'ssd' } },
          { name: 'd', address: '10.0.0.4' },
        ],
      },
    )
  })

  it('updates one node at a time', async () => {
    await inCluster(
      async (cluster) => {
        await createSet(cluster)
        await done(cluster)
        await update(cluster, 'web:2')
        let minReady = 3
        await cluster.until(async () => {
          minReady = Math.min(minReady, (await pods(cluster)).filter(isReady).length)
          return get(cluster)
        }, isDone)
        expect(minReady).toBe(2)
        expect(await images(cluster)).toEqual(['web:2', 'web:2', 'web:2'])
      },
      { simulate: { readyDelay: 2500 } },
    )
  })

  it('keeps all nodes available with maxSurge', async () => {
    await inCluster(
      async (cluster) => {
        await createSet(cluster, {
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        })
        await done(cluster)
        await update(cluster, 'web:2')
        let minReady = 3
        let maxPods = 3
        await cluster.until(async () => {
          const now = await pods(cluster)
          minReady = Math.min(minReady, now.filter(isReady).length)
          maxPods = Math.max(maxPods, now.length)
          return get(cluster)
        }, isDone)
        expect({ minReady, maxPods }).toEqual({ minReady: 3, maxPods: 4 })
      },
      { simulate: { readyDelay: 2500 } },
    )
  })

  it('keeps old pods with OnDelete until they are deleted', async () => {
    await inCluster(async (cluster) => {
      await createSet(cluster, { updateStrategy: { type: 'OnDelete' } })
      await done(cluster)
      await update(cluster, 'web:2')
      await cluster.sleep(30)
      expect(await images(cluster)).toEqual(['web:1', 'web:1', 'web:1'])
      const [first] = await pods(cluster)
      await cluster.client.of(resources.pods).delete(first?.metadata.name ?? '', { namespace: 'default' })
      await cluster.sleep(40)
      expect(await images(cluster)).toEqual(['web:1', 'web:1', 'web:2'])
    })
  })

  it('replaces a failed pod', async () => {
    await inCluster(async (cluster) => {
      await createSet(cluster)
      await done(cluster)
      const before = new Set((await pods(cluster)).map(({ metadata }) => metadata.uid))
      const [victim] = await pods(cluster)
      await cluster.patch(resources.pods, victim?.metadata.name ?? '', { status: { phase: 'Failed' } }, 'status')
      await cluster.until(
        () => pods(cluster),
        (now) => now.length === 3 && now.filter(({ metadata }) => !before.has(metadata.uid)).length === 1,
      )
      await done(cluster)
    })
  })
})
