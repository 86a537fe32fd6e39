import { describe, expect, it } from 'vitest'
import { type Deployment, type Pod, type ReplicaSet, resources } from '../../src/kube/kinds/index.ts'
import { inCluster, podTemplate, type TestCluster } from './cluster.ts'

const selector = { matchLabels: { app: 'web' } }

function deploy(cluster: TestCluster, spec: Partial<Deployment['spec']> = {}): Promise<Deployment> {
  return cluster.create<Deployment>(resources.deployments, {
    metadata: { name: 'web' },
    spec: { replicas: 4, selector, template: podTemplate(), ...spec },
  })
}

const isDone = ({ metadata, spec, status }: Deployment) =>
  status?.observedGeneration === metadata.generation &&
  status?.updatedReplicas === spec.replicas &&
  status?.replicas === spec.replicas &&
  status?.availableReplicas === spec.replicas

const get = (cluster: TestCluster) => cluster.get<Deployment>(resources.deployments, 'web')
const done = (cluster: TestCluster) => cluster.until(() => get(cluster), isDone)
const update = (cluster: TestCluster, image: string, spec: object = {}) =>
  cluster.patch<Deployment>(resources.deployments, 'web', { spec: { template: podTemplate(image), ...spec } })
const reasonOf = (deployment: Deployment, type: string) => {
  const found = deployment.status?.conditions?.find((condition) => condition.type === type)
  return `${found?.status}/${found?.reason}`
}
const sets = async (cluster: TestCluster) =>
  (await cluster.list<ReplicaSet>(resources.replicaSets)).map(({ metadata, spec }) => ({
    revision: metadata.annotations?.['deployment.kubernetes.io/revision'],
    image: spec.template.spec.containers[0]?.image,
    replicas: spec.replicas,
  }))

describe('a Deployment in the sandbox', () => {
  it('rolls out a new template within maxSurge and maxUnavailable', async () => {
    await inCluster(
      async (cluster) => {
        await deploy(cluster, {
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        })
        await done(cluster)
        await update(cluster, 'web:2')
        let most = 0
        let least = Number.POSITIVE_INFINITY
        await cluster.until(async () => {
          const pods = (await cluster.list<Pod>(resources.pods)).filter(
            ({ metadata }) => metadata.deletionTimestamp === undefined,
          )
          const ready = pods.filter(({ status }) =>
            status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
          )
          most = Math.max(most, pods.length)
          least = Math.min(least, ready.length)
          return get(cluster)
        }, isDone)
        expect({ most, least }).toEqual({ most: 5, least: 4 })
        expect(await sets(cluster)).toEqual(
          expect.arrayContaining([
            { revision: '1', image: 'web:1', replicas: 0 },
            { revision: '2', image: 'web:2', replicas: 4 },
          ]),
        )
        const finished = await get(cluster)
        expect(reasonOf(finished, 'Progressing')).toBe('True/NewReplicaSetAvailable')
        expect(finished.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2')
      },
      { simulate: { readyDelay: 2500 } },
    )
  })

  it('rolls back to an old template with a new revision number', async () => {
    await inCluster(async (cluster) => {
      await deploy(cluster)
      await done(cluster)
      await update(cluster, 'web:2')
      await done(cluster)
      await update(cluster, 'web:1')
      await done(cluster)
      expect(await sets(cluster)).toEqual([
        { revision: '3', image: 'web:1', replicas: 4 },
        { revision: '2', image: 'web:2', replicas: 0 },
      ])
    })
  })

  it('stops at a broken template, exceeds its progress deadline and recovers', async () => {
    await inCluster(async (cluster) => {
      await deploy(cluster, { progressDeadlineSeconds: 30 })
      await done(cluster)
      const broken = podTemplate('web:2', { annotations: { 'sandbox.carabiner.dev/ready-delay': 'never' } })
      await cluster.patch(resources.deployments, 'web', { spec: { template: broken } })
      await cluster.until(
        () => get(cluster),
        (one) => reasonOf(one, 'Progressing') === 'False/ProgressDeadlineExceeded',
        60,
      )
      expect((await get(cluster)).status?.availableReplicas).toBe(3)
      await cluster.patch(resources.deployments, 'web', {
        spec: { template: { ...podTemplate('web:1'), metadata: { labels: { app: 'web' }, annotations: null } } },
      })
      await done(cluster)
    })
  })

  it('waits for the last old pod with strategy Recreate', async () => {
    await inCluster(async (cluster) => {
      const template = podTemplate('web:1', { annotations: { 'sandbox.carabiner.dev/stop-delay': '10s' } })
      await deploy(cluster, { strategy: { type: 'Recreate' }, template })
      await done(cluster)
      await update(cluster, 'web:2')
      await cluster.sleep(5)
      const images = new Set((await cluster.list<Pod>(resources.pods)).map(({ spec }) => spec.containers[0]?.image))
      expect(images).toEqual(new Set(['web:1']))
      await done(cluster)
    })
  })

  it('only scales while paused', async () => {
    await inCluster(async (cluster) => {
      await deploy(cluster)
      await done(cluster)
      await update(cluster, 'web:2', { paused: true, replicas: 6 })
      await cluster.sleep(5)
      expect(await sets(cluster)).toEqual([{ revision: '1', image: 'web:1', replicas: 6 }])
      const paused = await get(cluster)
      expect(reasonOf(paused, 'Progressing')).toBe('Unknown/DeploymentPaused')
      expect(paused.status?.updatedReplicas).toBeUndefined()
      await cluster.patch(resources.deployments, 'web', { spec: { paused: false } })
      await done(cluster)
    })
  })

  it('adopts a ReplicaSet with its template', async () => {
    await inCluster(async (cluster) => {
      const labels = { app: 'web', 'pod-template-hash': 'mine' }
      const template = { ...podTemplate(), metadata: { labels } }
      await cluster.create<ReplicaSet>(resources.replicaSets, {
        metadata: { name: 'manual', labels },
        spec: { replicas: 1, selector: { matchLabels: labels }, template },
      })
      await deploy(cluster)
      await done(cluster)
      const all = await cluster.list<ReplicaSet>(resources.replicaSets)
      expect(all.map(({ metadata }) => [metadata.name, metadata.ownerReferences?.[0]?.kind])).toEqual([
        ['manual', 'Deployment'],
      ])
    })
  })

  it('keeps revisionHistoryLimit old ReplicaSets', async () => {
    await inCluster(async (cluster) => {
      await deploy(cluster, { revisionHistoryLimit: 1 })
      await done(cluster)
      for (const image of ['web:2', 'web:3', 'web:4']) {
        await update(cluster, image)
        await done(cluster)
      }
      await cluster.sleep(1)
      expect((await sets(cluster)).map(({ revision }) => revision).sort()).toEqual(['3', '4'])
    })
  })

  it('deletes or orphans its ReplicaSets and pods', async () => {
    await inCluster(async (cluster) => {
      await deploy(cluster)
      await done(cluster)
      await cluster.client
        .of(resources.deployments)
        .delete('web', { namespace: 'default', propagationPolicy: 'Orphan' })
      await cluster.sleep(5)
      expect((await cluster.list(resources.replicaSets)).map(({ metadata }) => metadata.ownerReferences)).toEqual([
        undefined,
      ])
      await deploy(cluster)
      await done(cluster)
      await cluster.client
        .of(resources.deployments)
        .delete('web', { namespace: 'default', propagationPolicy: 'Foreground' })
      await cluster.until(
        () => cluster.list(resources.deployments),
        (all) => all.length === 0,
        60,
      )
      expect(await cluster.list(resources.replicaSets)).toEqual([])
      expect(await cluster.list(resources.pods)).toEqual([])
    })
  })
})
