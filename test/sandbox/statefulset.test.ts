import { describe, expect, it } from 'vitest'
import {
  type ControllerRevision,
  type PersistentVolumeClaim,
  type Pod,
  resources,
  type StatefulSet,
} from '../../src/kube/kinds/index.ts'
import { inCluster, podTemplate, type TestCluster } from './cluster.ts'

function createSet(cluster: TestCluster, spec: Partial<StatefulSet['spec']> = {}): Promise<StatefulSet> {
  return cluster.create<StatefulSet>(resources.statefulSets, {
    metadata: { name: 'db' },
    spec: {
      replicas: 3,
      serviceName: 'db',
      selector: { matchLabels: { app: 'web' } },
      template: podTemplate(),
      ...spec,
    },
  })
}

const get = (cluster: TestCluster) => cluster.get<StatefulSet>(resources.statefulSets, 'db')
const isDone = ({ metadata, spec, status }: StatefulSet) =>
  status?.observedGeneration === metadata.generation &&
  status?.readyReplicas === spec.replicas &&
  status?.replicas === spec.replicas &&
  status?.updatedReplicas === spec.replicas &&
  status?.currentRevision === status?.updateRevision
const done = (cluster: TestCluster) => cluster.until(() => get(cluster), isDone)
const images = async (cluster: TestCluster) =>
  Object.fromEntries(
    (await cluster.list<Pod>(resources.pods))
      .sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
      .map(({ metadata, spec }) => [metadata.name, spec.containers[0]?.image]),
  )
const update = (cluster: TestCluster, image: string, spec: object = {}) =>
  cluster.patch(resources.statefulSets, 'db', { spec: { template: podTemplate(image), ...spec } })
const all = (cluster: TestCluster, image: string, names: readonly string[]) =>
  cluster.until(
    () => images(cluster),
    (found) => names.every((name) => found[name] === image),
  )

describe('a StatefulSet in the sandbox', () => {
  it('creates pods in order with their identity', async () => {
    await inCluster(
      async (cluster) => {
        await createSet(cluster)
        await cluster.sleep(3)
        expect(Object.keys(await images(cluster))).toEqual(['db-0'])
        await done(cluster)
        const pod = await cluster.get<Pod>(resources.pods, 'db-2')
        expect(pod.spec).toMatchObject({ hostname: 'db-2', subdomain: 'db' })
        expect(pod.metadata.labels).toMatchObject({
          'statefulset.kubernetes.io/pod-name': 'db-2',
          'apps.kubernetes.io/pod-index': '2',
          'controller-revision-hash': (await get(cluster)).status?.updateRevision,
        })
      },
      { simulate: { readyDelay: 5000 } },
    )
  })

  it('creates all pods at once with podManagementPolicy Parallel', async () => {
    await inCluster(
      async (cluster) => {
        await createSet(cluster, { podManagementPolicy: 'Parallel' })
        await cluster.sleep(3)
        expect(Object.keys(await images(cluster))).toEqual(['db-0', 'db-1', 'db-2'])
      },
      { simulate: { readyDelay: 5000 } },
    )
  })

  it('updates from the highest ordinal to the partition, and continues when it is lowered', async () => {
    await inCluster(async (cluster) => {
      await createSet(cluster)
      await done(cluster)
      await update(cluster, 'web:2', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } })
      await all(cluster, 'web:2', ['db-2'])
      await cluster.sleep(30)
      expect(await images(cluster)).toEqual({ 'db-0': 'web:1', 'db-1': 'web:1', 'db-2': 'web:2' })
      const { status } = await get(cluster)
      expect(status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 })
      expect(status?.currentRevision).not.toBe(status?.updateRevision)
      await cluster.client.of(resources.pods).delete('db-1', { namespace: 'default' })
      await cluster.sleep(30)
      expect((await images(cluster))['db-1']).toBe('web:1')
      await cluster.patch(resources.statefulSets, 'db', {
        spec: { updateStrategy: { rollingUpdate: { partition: 0 } } },
      })
      await done(cluster)
      expect(new Set(Object.values(await images(cluster)))).toEqual(new Set(['web:2']))
    })
  })

  it('updates several pods at a time with maxUnavailable', async () => {
    await inCluster(
      async (cluster) => {
        await createSet(cluster, {
          replicas: 4,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
          podManagementPolicy: 'Parallel',
        })
        await done(cluster)
        await update(cluster, 'web:2')
        await cluster.sleep(3)
        expect(await images(cluster)).toEqual({ 'db-0': 'web:1', 'db-1': 'web:1', 'db-2': 'web:2', 'db-3': 'web:2' })
        await done(cluster)
      },
      { simulate: { readyDelay: 5000 } },
    )
  })

  it('keeps old pods with OnDelete until they are deleted', async () => {
    await inCluster(async (cluster) => {
      await createSet(cluster, { updateStrategy: { type: 'OnDelete' } })
      await cluster.until(
        () => get(cluster),
        ({ status }) => status?.readyReplicas === 3,
      )
      await update(cluster, 'web:2')
      await cluster.sleep(30)
      expect(new Set(Object.values(await images(cluster)))).toEqual(new Set(['web:1']))
      await cluster.client.of(resources.pods).delete('db-0', { namespace: 'default' })
      await all(cluster, 'web:2', ['db-0'])
    })
  })

  it('starts at its first ordinal, scales down from the highest and binds claims', async () => {
    await inCluster(async (cluster) => {
      const claim = {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }
      await createSet(cluster, {
        ordinals: { start: 5 },
        volumeClaimTemplates: [claim as unknown as PersistentVolumeClaim],
      })
      await done(cluster)
      expect(Object.keys(await images(cluster))).toEqual(['db-5', 'db-6', 'db-7'])
      await cluster.patch(resources.statefulSets, 'db', { spec: { replicas: 1 } })
      await done(cluster)
      expect(Object.keys(await images(cluster))).toEqual(['db-5'])
      const claims = await cluster.list<PersistentVolumeClaim>(resources.persistentVolumeClaims)
      expect(claims.map(({ metadata, status }) => [metadata.name, status?.phase])).toEqual([
        ['data-db-5', 'Bound'],
        ['data-db-6', 'Bound'],
        ['data-db-7', 'Bound'],
      ])
    })
  })

  it('waits for a broken pod even when the template is fixed', async () => {
    await inCluster(async (cluster) => {
      await createSet(cluster)
      await done(cluster)
      const broken = podTemplate('web:2', { annotations: { 'sandbox.carabiner.dev/ready-delay': 'never' } })
      await cluster.patch(resources.statefulSets, 'db', { spec: { template: broken } })
      await all(cluster, 'web:2', ['db-2'])
      const fixedTemplate = { ...podTemplate('web:1'), metadata: { labels: { app: 'web' }, annotations: null } }
      await cluster.patch(resources.statefulSets, 'db', { spec: { template: fixedTemplate } })
      await cluster.sleep(120)
      expect((await images(cluster))['db-2']).toBe('web:2')
      await cluster.client.of(resources.pods).delete('db-2', { namespace: 'default' })
      await done(cluster)
    })
  })

  it('renumbers a revision it returns to', async () => {
    await inCluster(async (cluster) => {
      await createSet(cluster)
      const first = (await done(cluster)).status?.updateRevision
      await update(cluster, 'web:2')
      await done(cluster)
      await update(cluster, 'web:1')
      expect((await done(cluster)).status?.updateRevision).toBe(first)
      const revisions = await cluster.list<ControllerRevision>(resources.controllerRevisions)
      expect(
        Object.fromEntries(revisions.map(({ metadata, revision }) => [metadata.name === first, revision])),
      ).toEqual({
        true: 3,
        false: 2,
      })
    })
  })
})
