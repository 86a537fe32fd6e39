import { describe, expect, it } from 'vitest'
import {
  type CronJob,
  type EndpointSlice,
  type Job,
  type Namespace,
  type Node,
  type Pod,
  type PodDisruptionBudget,
  resources,
} from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { inCluster, podTemplate, type TestCluster } from './cluster.ts'

const labels = { app: 'web' }

async function deploy(cluster: TestCluster, replicas: number, spec: object = {}): Promise<void> {
  await cluster.create(resources.deployments, {
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: labels }, template: podTemplate('web:1', { spec }) },
  } as never)
  await cluster.until(
    () => cluster.list<Pod>(resources.pods),
    (pods) => pods.length === replicas && pods.every(({ status }) => status?.phase === 'Running'),
  )
}

describe('a namespace in the sandbox', () => {
  it('deletes its content before itself, pods first and gracefully', async () => {
    await inCluster(async (cluster) => {
      await cluster.create(resources.namespaces, { metadata: { name: 'team' } })
      await cluster.sleep(1)
      const template = podTemplate('web:1', { annotations: { 'sandbox.carabiner.dev/stop-delay': '10s' } })
      const metadata = { name: 'web', namespace: 'team' }
      await cluster.create(resources.deployments, {
        metadata,
        spec: { replicas: 2, selector: { matchLabels: labels }, template },
      } as never)
      await cluster.create(resources.configMaps, { metadata: { name: 'mine', namespace: 'team' } })
      await cluster.sleep(2)
      await cluster.client.of(resources.namespaces).delete('team')
      await cluster.sleep(5)
      const ending = await cluster.get<Namespace>(resources.namespaces, 'team')
      expect(ending.status?.phase).toBe('Terminating')
      const remaining = ending.status?.conditions?.find(({ type }) => type === 'NamespaceContentRemaining')
      expect(remaining).toMatchObject({
        status: 'True',
        reason: 'SomeResourcesRemain',
        message: 'Some resources are remaining: pods. has 2 resource instances',
      })
      await cluster.until(
        () => cluster.list(resources.namespaces),
        (all) => all.every(({ metadata: { name } }) => name !== 'team'),
        60,
      )
    })
  })

  it('has a service account and the root certificate from the start', async () => {
    await inCluster(
      async (cluster) => {
        await cluster.create(resources.namespaces, { metadata: { name: 'team' } })
        await cluster.sleep(1)
        const at = { namespace: 'team' }
        expect((await cluster.client.of(resources.serviceAccounts).get('default', at)).metadata.name).toBe('default')
        expect(await cluster.client.of(resources.configMaps).get('kube-root-ca.crt', at)).toMatchObject({
          data: { 'ca.crt': 'PEM' },
        })
        await cluster.client.of(resources.serviceAccounts).delete('default', at)
        await cluster.sleep(1)
        expect((await cluster.client.of(resources.serviceAccounts).get('default', at)).metadata.name).toBe('default')
      },
      { rootCa: 'PEM' },
    )
  })
})

describe('a Service in the sandbox', () => {
  it('has an endpoint slice with its ready pods', async () => {
    await inCluster(async (cluster) => {
      await cluster.create(resources.services, {
        metadata: { name: 'web' },
        spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
      } as never)
      await deploy(cluster, 2)
      await cluster.sleep(1)
      const [slice, ...more] = (await cluster.list<EndpointSlice>(resources.endpointSlices)).filter(
        ({ metadata }) => metadata.generateName === 'web-',
      )
      expect(more).toEqual([])
      expect(slice?.ports).toEqual([{ name: '', port: 8080, protocol: 'TCP' }])
      expect(slice?.endpoints.map(({ conditions }) => conditions)).toEqual([
        { ready: true, serving: true, terminating: false },
        { ready: true, serving: true, terminating: false },
      ])
    })
  })
})

describe('a disruption budget in the sandbox', () => {
  it('counts allowed disruptions', async () => {
    await inCluster(async (cluster) => {
      const spec = { maxUnavailable: 1, selector: { matchLabels: labels } }
      await cluster.create(resources.podDisruptionBudgets, { metadata: { name: 'web' }, spec } as never)
      await deploy(cluster, 3)
      await cluster.sleep(1)
      const { status } = await cluster.get<PodDisruptionBudget>(resources.podDisruptionBudgets, 'web')
      expect(status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 })
      expect(status?.conditions?.[0]).toMatchObject({
        type: 'DisruptionAllowed',
        status: 'True',
        reason: 'SufficientPods',
      })
    })
  })
})

describe('a node in the sandbox', () => {
  it('loses its pods when its lease expires', async () => {
    await inCluster(
      async (cluster) => {
        await cluster.create<Node>(resources.nodes, {
          metadata: { name: 'ghost', labels: { silent: 'yes' } },
          status: {
            allocatable: { cpu: '4', memory: '8Gi', pods: '10' },
            conditions: [{ type: 'Ready', status: 'True' }],
          },
        })
        await cluster.create(resources.pods, {
          metadata: { name: 'p' },
          spec: { nodeSelector: { silent: 'yes' }, containers: [{ name: 'c', image: 'i' }] },
        } as never)
        await cluster.sleep(70)
        const ghost = await cluster.get<Node>(resources.nodes, 'ghost')
        expect(ghost.status?.conditions?.[0]).toMatchObject({ status: 'Unknown', reason: 'NodeStatusUnknown' })
        expect(ghost.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
          'node.kubernetes.io/unreachable:NoSchedule',
          'node.kubernetes.io/unreachable:NoExecute',
        ])
        expect((await cluster.get<Pod>(resources.pods, 'p')).metadata.deletionTimestamp).toBeUndefined()
        await cluster.sleep(310)
        expect((await cluster.get<Pod>(resources.pods, 'p')).metadata.deletionTimestamp).toBeDefined()
      },
      { nodes: 1 },
    )
  })
})

describe('a CronJob in the sandbox', () => {
  const template = { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } }
  const createCron = (cluster: TestCluster, spec: object) =>
    cluster.create(resources.cronJobs, {
      metadata: { name: 'tick' },
      spec: { schedule: '*/5 * * * *', jobTemplate: template, ...spec },
    } as never)

  it('starts Jobs on schedule and keeps the history limits', async () => {
    await inCluster(async (cluster) => {
      await createCron(cluster, { successfulJobsHistoryLimit: 2 })
      await cluster.sleep(26 * 60)
      const jobs = await cluster.list<Job>(resources.jobs)
      expect(
        jobs.map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']),
      ).toEqual(['2026-01-01T00:20:00Z', '2026-01-01T00:25:00Z'])
      const { status } = await cluster.get<CronJob>(resources.cronJobs, 'tick')
      expect(status).toMatchObject({
        lastScheduleTime: '2026-01-01T00:25:00Z',
        lastSuccessfulTime: expect.stringMatching(/^2026-01-01T00:25:0/),
      })
      expect(status?.active).toBeUndefined()
    })
  })

  it.each([
    ['Forbid', 1],
    ['Replace', 1],
    ['Allow', 3],
  ])('with policy %s has %i active Jobs', async (concurrencyPolicy, count) => {
    await inCluster(
      async (cluster) => {
        await createCron(cluster, { concurrencyPolicy })
        await cluster.sleep(16 * 60)
        const active = (await cluster.list<Job>(resources.jobs)).filter(({ status }) => (status?.active ?? 0) > 0)
        expect(active).toHaveLength(count)
        expect((await cluster.get<CronJob>(resources.cronJobs, 'tick')).status?.active).toHaveLength(count)
      },
      { simulate: { script: () => ({ runFor: 3_600_000 }) } },
    )
  })
})

describe('the garbage collector in the sandbox', () => {
  const things = { group: 'example.org', version: 'v1', resource: 'things', kind: 'Thing', namespaced: true }
  const reference = ({ apiVersion, kind, metadata }: KubeObject) => ({
    ownerReferences: [{ apiVersion: apiVersion ?? '', kind: kind ?? '', name: metadata.name, uid: metadata.uid ?? '' }],
  })

  it('follows custom resources defined later: no owner lookups, and dependents are deleted with their owner', async () => {
    let reads = 0
    await inCluster(
      async (cluster) => {
        const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
        await cluster.create(resources.customResourceDefinitions, {
          metadata: { name: 'things.example.org' },
          spec: {
            ...{ group: 'example.org', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
            versions: [{ name: 'v1', served: true, storage: true, schema }],
          },
        } as never)
        await cluster.sleep(5)
        const owner = await cluster.create(things, { metadata: { name: 'first' } })
        const second = await cluster.create(things, { metadata: { name: 'second', ...reference(owner) } })
        await cluster.create(resources.configMaps, { metadata: { name: 'third', ...reference(second) } })
        await cluster.sleep(5)
        reads = 0
        await cluster.sleep(60)
        expect(reads).toBe(0)
        await cluster.client.of(things).delete('first', { namespace: 'default' })
        await cluster.sleep(1)
        expect(await cluster.list(things)).toEqual([])
        expect((await cluster.list(resources.configMaps)).map(({ metadata }) => metadata.name)).not.toContain('third')
      },
      {
        audit: ({ verb }) => {
          if (verb === 'get') reads++
        },
      },
    )
  })
})

describe('the whole sandbox', () => {
  it('makes almost no requests while nothing changes', async () => {
    let requests = 0
    await inCluster(
      async (cluster) => {
        await deploy(cluster, 3)
        await cluster.sleep(60)
        requests = 0
        await cluster.sleep(3600)
        expect(requests).toBeLessThan(700)
      },
      { audit: () => void requests++ },
    )
  })
})
