/** Rollouts with hooks: gate and engine against a cluster, from the changed template to the last pod. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEngineOn } from './engine.ts'
import { definePolicies, type InstalledGate, installGate } from './gate.ts'
import { kubectl, kubectlPath } from './programs.ts'
import { onCluster } from './suite.ts'
import type { Thing } from './target.ts'
import {
  conditionOf,
  count,
  daemonSet,
  deployment,
  endJob,
  isRolledOut,
  job,
  mergePatch,
  podsByImage,
  podTemplate,
  statefulSet,
} from './workloads.ts'

interface Rollout {
  readonly phase: string
  readonly endedAt?: string
  readonly hooks: readonly {
    readonly name: string
    readonly state: string
    readonly object?: { readonly name: string }
  }[]
}

const rolloutOf = ({ status }: Thing) => (status as { rollout?: Rollout } | undefined)?.rollout
const isOver = (policy: Thing) => rolloutOf(policy)?.endedAt !== undefined
/** A hook whose Job runs until the test completes it, by default. */
const hook = (name: string, progressPoint: number | string, settings: Readonly<Record<string, string>> = {}) => ({
  name,
  trigger: { progressAvailableParams: { progressPoint } },
  jobSpec: { backoffLimit: 0, ...job(name, {}, { 'run-for': '1h', ...settings }).spec },
})

onCluster('rollouts with hooks', (cluster) => {
  let gate: InstalledGate
  let stopSurface = async () => {}
  beforeAll(async () => {
    await definePolicies(cluster)
    gate = await installGate(cluster)
    stopSurface = (await startEngineOn(cluster)).stop
  })
  afterAll(async () => {
    await stopSurface()
    await gate?.remove()
  })

  const pathOf = (ns: string, resource: string) => `/apis/apps/v1/namespaces/${ns}/${resource}`
  const policyPath = (ns: string) => `/apis/carabiner.dev/v1alpha1/namespaces/${ns}/rolloutpolicies`

  /** Creates a running workload and its policy. */
  async function prepared(
    kind: 'Deployment' | 'StatefulSet' | 'DaemonSet',
    object: { metadata: { name: string } },
    isUp: (found: Thing) => boolean,
    lifecycleHooks: readonly object[],
  ) {
    const ns = await cluster.namespace()
    const resource = `${kind.toLowerCase()}s`
    await cluster.create(pathOf(ns, resource), object)
    const workload = `${pathOf(ns, resource)}/web`
    await cluster.until(workload, isUp)
    await cluster.create(policyPath(ns), {
      apiVersion: 'carabiner.dev/v1alpha1',
      kind: 'RolloutPolicy',
      metadata: { name: 'web' },
      spec: { targetRef: { apiVersion: 'apps/v1', kind, name: 'web' }, lifecycleHooks },
    })
    const policy = `${policyPath(ns)}/web`
    await cluster.until(policy, (found) => conditionOf(found, 'Ready')?.status === 'True')
    const roll = async () => {
      const body = { spec: { template: podTemplate('web', 'example/app:2') } }
      const { body: changed } = await cluster.call('PATCH', workload, { headers: mergePatch, body })
      expect(changed.metadata.labels?.['carabiner.dev/hold']).toBe('gate')
    }
    const objectOf = (found: Thing, name: string) => rolloutOf(found)?.hooks.find((one) => one.name === name)?.object
    /** Returns a function that ends it. */
    const running = async (name: string) => {
      const found = await cluster.until(policy, (one) => objectOf(one, name) !== undefined)
      return () => endJob(cluster, ns, objectOf(found, name)?.name ?? '')
    }
    return { ns, workload, policy, roll, running }
  }

  it('[rollouts H1 I1] holds a Deployment before the first pod and at half of the pods, and completes it', async () => {
    const { ns, workload, policy, roll, running } = await prepared('Deployment', deployment('web', 4), isRolledOut, [
      hook('migrate', 0),
      hook('smoke', '50%'),
    ])
    await roll()
    const endMigrate = await running('migrate')
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:1': 4 })
    // The ledger contains the name of the Job before it is created.
    const [first] = await cluster.untilList(`/apis/batch/v1/namespaces/${ns}/jobs`, ({ length }) => length > 0)
    const owner = first?.metadata.ownerReferences?.[0]
    expect([owner?.kind, owner?.name]).toEqual(['ReplicaSet', first?.metadata.labels?.['carabiner.dev/revision']])
    const template = first?.spec['template'] as { spec: { containers: { env: object[] }[] } } | undefined
    expect(template?.spec.containers[0]?.env).toEqual([
      { name: 'K8S_ROLLOUT_FROM_OBJECT', value: expect.stringMatching(`^${ns}/web-`) },
      { name: 'K8S_ROLLOUT_TO_OBJECT', value: `${ns}/${owner?.name}` },
      { name: 'K8S_ROLLOUT_TYPE', value: 'ROLLOUT' },
    ])
    await endMigrate()
    const endSmoke = await running('smoke')
    expect((await podsByImage(cluster, ns, 'web'))['example/app:2']).toBe(2)
    await endSmoke()
    const done = await cluster.until(policy, isOver)
    expect(rolloutOf(done)).toMatchObject({
      phase: 'Complete',
      hooks: [{ state: 'Succeeded' }, { state: 'Succeeded' }],
    })
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:2': 4 })
    const { metadata, spec } = (await cluster.call('GET', workload)).body
    expect([metadata.labels?.['carabiner.dev/hold'], spec['paused'] ?? false]).toEqual([undefined, false])
    expect(spec['strategy']).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' },
    })
  })

  const managersOf = ({ metadata }: Thing) =>
    (metadata.managedFields ?? []).map(({ manager, subresource }) => [manager, subresource ?? ''].join('/')).toSorted()

  it('adds no field manager to the ReplicaSets of a Deployment and owns the whole status of a policy', async () => {
    const { ns, policy, roll, running } = await prepared('Deployment', deployment('web', 2), isRolledOut, [
      hook('migrate', 0),
    ])
    await roll()
    await (await running('migrate'))()
    await cluster.until(policy, isOver)
    const native = ['kube-controller-manager/', 'kube-controller-manager/status']
    const sets = (await cluster.call('GET', pathOf(ns, 'replicasets'))).body.items
    expect(sets.map(managersOf)).toEqual([native, native])
    const { metadata } = (await cluster.call('GET', policy)).body
    const statusEntry = metadata.managedFields?.find(({ subresource }) => subresource === 'status')
    expect(statusEntry?.fieldsV1).toEqual({ 'f:status': {} })
  })

  const isUpInOrder = (found: Thing) => count(found, 'readyReplicas') === 2
  const isOnNodes = (found: Thing) =>
    count(found, 'numberAvailable') > 0 && count(found, 'numberAvailable') === count(found, 'desiredNumberScheduled')
  it.each([
    {
      kind: 'Deployment',
      object: deployment('web', 2),
      isUp: isRolledOut,
      point: '50%',
      ours: ['carabiner-rollouts/'],
    },
    { kind: 'StatefulSet', object: statefulSet('web', 2), isUp: isUpInOrder, point: 1, ours: ['carabiner-rollouts/'] },
    { kind: 'DaemonSet', object: daemonSet('web'), isUp: isOnNodes, point: 1, ours: [] },
  ] as const)('owns fields of a $kind only while it holds it', async ({ kind, object, isUp, point, ours }) => {
    const { workload, policy, roll, running } = await prepared(kind, object, isUp, [hook('smoke', point)])
    const isOurs = (manager: string) => manager.startsWith('carabiner')
    const managers = async () => managersOf((await cluster.call('GET', workload)).body)
    const before = await managers()
    expect(before.filter(isOurs)).toEqual([])
    await roll()
    const end = await running('smoke')
    expect((await managers()).filter(isOurs)).toEqual(ours)
    await end()
    await cluster.until(policy, isOver)
    expect(await managers()).toEqual(before)
  })

  describe.skipIf(kubectlPath === undefined)('with kubectl', () => {
    it('[rollouts H2] makes kubectl rollout status fail when a hook before the first pod fails', async () => {
      const { ns, policy, roll } = await prepared('Deployment', deployment('web', 2), isRolledOut, [
        hook('migrate', 0, { 'run-for': '1s', 'exit-code': '1' }),
      ])
      await roll()
      const status = await kubectl(cluster.target, ['-n', ns, 'rollout', 'status', 'deployment/web', '--timeout=90s'])
      expect([status.code, status.stderr]).toEqual([1, expect.stringContaining('exceeded its progress deadline')])
      const failed = await cluster.until(policy, isOver)
      expect(conditionOf(failed, 'Stalled')).toMatchObject({ status: 'True', reason: 'Aborted' })
      expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:1': 2 })
    })
  })

  it('[rollouts F6] stops a StatefulSet at a point', async () => {
    const isUp = (found: Thing) => count(found, 'readyReplicas') === 3
    const { ns, policy, roll, running } = await prepared('StatefulSet', statefulSet('web', 3), isUp, [hook('first', 1)])
    await roll()
    const end = await running('first')
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:1': 2, 'example/app:2': 1 })
    await end()
    expect(rolloutOf(await cluster.until(policy, isOver))?.phase).toBe('Complete')
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:2': 3 })
  })

  it('[rollouts F6] stops a DaemonSet at a point', async () => {
    const { ns, policy, roll, running } = await prepared('DaemonSet', daemonSet('web'), isOnNodes, [hook('first', 1)])
    const nodes = (await podsByImage(cluster, ns, 'web'))['example/app:1'] ?? 0
    await roll()
    const end = await running('first')
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:1': nodes - 1, 'example/app:2': 1 })
    await end()
    expect(rolloutOf(await cluster.until(policy, isOver))?.phase).toBe('Complete')
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:2': nodes })
  })
})
