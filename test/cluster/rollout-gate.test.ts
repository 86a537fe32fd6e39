/** The gate: it holds a workload with the write that changes its template, and only the engine releases it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { optInLabel } from '../../src/rollouts/labels.ts'
import { asEngine, type InstalledGate, installGate } from './gate.ts'
import { onCluster } from './suite.ts'
import type { Thing } from './target.ts'
import {
  conditionOf,
  count,
  daemonSet,
  deployment,
  imageOf,
  isRolledOut,
  mergePatch,
  podsByImage,
  podTemplate,
  statefulSet,
} from './workloads.ts'

const hold = (object: Thing) => object.metadata.labels?.['carabiner.dev/hold']
/** The edits of held fields that the gate stores in labels. */
const pendingEdits = ({ metadata }: Thing) =>
  Object.fromEntries(
    Object.entries(metadata.labels ?? {}).flatMap(([name, value]) =>
      name.startsWith('want.carabiner.dev/') ? [[name.slice('want.carabiner.dev/'.length), value]] : [],
    ),
  )

onCluster('the gate', (cluster) => {
  let gate: InstalledGate
  beforeAll(async () => {
    gate = await installGate(cluster)
  })
  afterAll(() => gate?.remove())

  const base = (ns: string, resource: string) => `/apis/apps/v1/namespaces/${ns}/${resource}`
  const optedIn = <T extends { metadata: object }>(object: T) => ({
    ...object,
    metadata: { ...object.metadata, labels: { [optInLabel]: 'web' } },
  })
  const patch = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await cluster.call('PATCH', path, { headers: { ...mergePatch, ...headers }, body })
    expect([answer.status, answer.body.message]).toEqual([200, undefined])
    return answer.body
  }
  const image = (version: number) => ({ spec: { template: podTemplate('web', `example/app:${version}`) } })

  async function runningDeployment(spec: object = {}): Promise<{ ns: string; path: string }> {
    const ns = await cluster.namespace()
    const path = `${base(ns, 'deployments')}/web`
    await cluster.create(base(ns, 'deployments'), deployment('web', 2, spec))
    await cluster.until(path, isRolledOut)
    await patch(path, { metadata: { labels: { [optInLabel]: 'web' } } })
    return { ns, path }
  }

  it('pauses a Deployment with a changed template: no ReplicaSet, no pod', async () => {
    const { ns, path } = await runningDeployment()
    const changed = await patch(path, image(2))
    expect([changed.spec['paused'], hold(changed)]).toEqual([true, 'gate'])
    await cluster.until(path, (object) => count(object, 'observedGeneration') === object.metadata.generation)
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:1': 2 })
    expect((await cluster.call('GET', base(ns, 'replicasets'))).body.items).toHaveLength(1)
  })

  it('[rollouts W2] does not hold for any other change', async () => {
    const { path } = await runningDeployment()
    const before = (await cluster.call('GET', path)).body
    const edits = [
      { metadata: { annotations: { a: 'b' } } },
      { metadata: { labels: { a: 'b' } } },
      { spec: { minReadySeconds: 1 } },
      { spec: { replicas: 3 } },
      { spec: { template: before.spec['template'] } },
    ]
    for (const edit of edits) expect(hold(await patch(path, edit))).toBeUndefined()
    await patch(`${path}/scale`, { spec: { replicas: 1 } })
    expect(hold((await cluster.call('GET', path)).body)).toBeUndefined()
  })

  it('ignores workloads without the policy label', async () => {
    const ns = await cluster.namespace()
    await cluster.create(base(ns, 'deployments'), deployment('web', 1))
    const changed = await patch(`${base(ns, 'deployments')}/web`, image(2))
    expect([changed.spec['paused'], hold(changed)]).toEqual([undefined, undefined])
  })

  it('scales a held Deployment on its old version', async () => {
    const { ns, path } = await runningDeployment()
    await patch(path, image(2))
    await patch(`${path}/scale`, { spec: { replicas: 4 } })
    await cluster.until(path, (object) => count(object, 'availableReplicas') === 4)
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:1': 4 })
  })

  it('reverts a resume, a removed label and a replacement by other clients', async () => {
    const { path } = await runningDeployment()
    const held = await patch(path, image(2))
    expect((await patch(path, { spec: { paused: false } })).spec['paused']).toBe(true)
    expect(hold(await patch(path, { metadata: { labels: { 'carabiner.dev/hold': null, [optInLabel]: null } } }))).toBe(
      'gate',
    )
    const { resourceVersion: _, labels: __, ...metadata } = held.metadata
    const { paused: ___, ...spec } = held.spec
    const replaced = (await cluster.call('PUT', path, { body: { ...held, metadata, spec } })).body
    expect([replaced.spec['paused'], hold(replaced), replaced.metadata.labels?.[optInLabel]]).toEqual([
      true,
      'gate',
      'web',
    ])
  })

  it('keeps holding after the engine removed the policy label', async () => {
    const { path } = await runningDeployment()
    await patch(path, image(2))
    await patch(path, { metadata: { labels: { [optInLabel]: null } } }, asEngine)
    const resumed = await patch(path, { metadata: { labels: { 'carabiner.dev/hold': null } }, spec: { paused: false } })
    expect([resumed.spec['paused'], hold(resumed)]).toEqual([true, 'gate'])
  })

  it('lets the engine release the workload', async () => {
    const { ns, path } = await runningDeployment()
    await patch(path, image(2))
    await patch(path, { metadata: { labels: { 'carabiner.dev/hold': null } }, spec: { paused: false } }, asEngine)
    await cluster.until(path, isRolledOut)
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:2': 2 })
  })

  it('releases a workload with the release label', async () => {
    const { path } = await runningDeployment()
    await patch(path, image(2))
    const opened = await patch(path, {
      metadata: { labels: { 'carabiner.dev/release': 'true', 'carabiner.dev/hold': null } },
      spec: { paused: false },
    })
    expect([opened.spec['paused'] ?? false, hold(opened)]).toEqual([false, undefined])
    expect(hold(await patch(path, image(3)))).toBeUndefined()
  })

  it('keeps all fields that the engine set', async () => {
    const { path } = await runningDeployment()
    await patch(path, image(2))
    const step = {
      metadata: { labels: { 'carabiner.dev/hold': 'step' } },
      spec: {
        paused: false,
        minReadySeconds: 2_147_483_646,
        progressDeadlineSeconds: 2_147_483_647,
        strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      },
    }
    await patch(path, step, asEngine)
    const edited = await patch(path, {
      spec: { minReadySeconds: 0, progressDeadlineSeconds: 600, strategy: { rollingUpdate: { maxSurge: '30%' } } },
    })
    expect(edited.spec).toMatchObject({
      minReadySeconds: 2_147_483_646,
      progressDeadlineSeconds: 2_147_483_647,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    })
    const first = { minReadySeconds: '0', progressDeadlineSeconds: '600', maxSurge: '30pct' }
    expect(pendingEdits(edited)).toEqual(first)
    const { labels: _, resourceVersion: __, ...metadata } = edited.metadata
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 2 } }
    const replaced = (
      await cluster.call('PUT', path, { body: { ...edited, metadata, spec: { ...edited.spec, strategy } } })
    ).body
    expect(replaced.spec['strategy']).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } })
    expect(pendingEdits(replaced)).toEqual({ ...first, maxUnavailable: '2' })
    expect(
      pendingEdits(await patch(path, { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } })),
    ).toMatchObject({
      strategy: 'Recreate',
      maxSurge: '30pct',
    })
  })

  it('keeps a Deployment at zero while the engine requires it', async () => {
    const { path } = await runningDeployment({ strategy: { type: 'Recreate' } })
    await patch(path, image(2))
    await patch(path, { metadata: { labels: { 'carabiner.dev/hold': 'mid' } }, spec: { replicas: 0 } }, asEngine)
    const edited = await patch(path, { spec: { replicas: 7, paused: false } })
    expect([edited.spec['replicas'], edited.spec['paused'], pendingEdits(edited)]).toEqual([0, true, { replicas: '7' }])
  })

  it('holds a partly released workload when the template changes again', async () => {
    const { path } = await runningDeployment()
    await patch(path, image(2))
    await patch(path, { metadata: { labels: { 'carabiner.dev/hold': 'step' } }, spec: { paused: false } }, asEngine)
    expect((await patch(path, { metadata: { annotations: { a: 'b' } } })).spec['paused'] ?? false).toBe(false)
    const overtaken = await patch(path, image(3))
    expect([overtaken.spec['paused'], hold(overtaken)]).toEqual([true, 'step'])
  })

  it('records that the owner had paused and treats their resume as the start', async () => {
    const { path } = await runningDeployment()
    await patch(path, { spec: { paused: true } })
    expect(hold(await patch(path, image(2)))).toBe('user-paused')
    const resumed = await patch(path, { spec: { paused: false } })
    expect([resumed.spec['paused'], hold(resumed)]).toEqual([true, 'gate'])
  })

  it('holds the creation of a Deployment', async () => {
    const ns = await cluster.namespace()
    const created = await cluster.create(base(ns, 'deployments'), optedIn(deployment('web', 2)))
    expect([created.spec['paused'], hold(created)]).toEqual([true, 'gate'])
    const paused = await cluster.until(
      `${base(ns, 'deployments')}/web`,
      (object) => conditionOf(object, 'Progressing')?.reason === 'DeploymentPaused',
    )
    expect(count(paused, 'replicas')).toBe(0)
  })

  it('puts the partition of a StatefulSet above every pod', async () => {
    const ns = await cluster.namespace()
    const path = `${base(ns, 'statefulsets')}/web`
    await cluster.create(base(ns, 'statefulsets'), optedIn(statefulSet('web', 2)))
    await cluster.until(path, (object) => count(object, 'readyReplicas') === 2)
    const changed = await patch(path, image(2))
    expect(hold(changed)).toBe('gate')
    expect(changed.spec['updateStrategy']).toMatchObject({
      type: 'RollingUpdate',
      rollingUpdate: { partition: 2_147_483_647 },
    })
    expect(
      (await patch(path, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } })).spec['updateStrategy'],
    ).toMatchObject({ rollingUpdate: { partition: 2_147_483_647 } })
    await cluster.until(path, (object) => count(object, 'observedGeneration') === object.metadata.generation)
    expect(await podsByImage(cluster, ns, 'web')).toEqual({ 'example/app:1': 2 })
    const step = { updateStrategy: { rollingUpdate: { partition: 2 } } }
    await patch(path, { metadata: { labels: { 'carabiner.dev/hold': 'step' } }, spec: step }, asEngine)
    const overtaken = await patch(path, image(3))
    expect(hold(overtaken)).toBe('step')
    expect(overtaken.spec['updateStrategy']).toMatchObject({ rollingUpdate: { partition: 2_147_483_647 } })
  })

  it('keeps the original partition of a StatefulSet and a partition set meanwhile', async () => {
    const ns = await cluster.namespace()
    const path = `${base(ns, 'statefulsets')}/web`
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } }
    await cluster.create(base(ns, 'statefulsets'), optedIn(statefulSet('web', 2, { updateStrategy })))
    const changed = await patch(path, image(2))
    expect([changed.spec['updateStrategy'], pendingEdits(changed)]).toEqual([
      expect.objectContaining({ rollingUpdate: expect.objectContaining({ partition: 2_147_483_647 }) }),
      { partition: '1' },
    ])
    expect(pendingEdits(await patch(path, { metadata: { labels: { 'want.carabiner.dev/partition': null } } }))).toEqual(
      {
        partition: '1',
      },
    )
    const step = { updateStrategy: { rollingUpdate: { partition: 1 } } }
    await patch(path, { metadata: { labels: { 'carabiner.dev/hold': 'step' } }, spec: step }, asEngine)
    expect(pendingEdits(await patch(path, image(3)))).toEqual({ partition: '1' })
    const edited = await patch(path, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } })
    expect(edited.spec['updateStrategy']).toMatchObject({ rollingUpdate: { partition: 2_147_483_647 } })
    expect(pendingEdits(edited)).toEqual({ partition: '0' })
  })

  it('sets a DaemonSet to OnDelete, except with maxSurge or when it already uses OnDelete', async () => {
    const ns = await cluster.namespace()
    const path = `${base(ns, 'daemonsets')}/web`
    await cluster.create(base(ns, 'daemonsets'), optedIn(daemonSet('web')))
    await cluster.until(
      path,
      (object) =>
        count(object, 'numberReady') > 0 && count(object, 'numberReady') === count(object, 'desiredNumberScheduled'),
    )
    const changed = await patch(path, image(2))
    expect([hold(changed), changed.spec['updateStrategy']]).toEqual([
      'gate',
      expect.objectContaining({ type: 'OnDelete' }),
    ])
    const pods = (await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body.items
    expect(new Set(pods.map(imageOf))).toEqual(new Set(['example/app:1']))
    const others = {
      surging: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      'by-hand': { type: 'OnDelete' },
    }
    for (const [name, updateStrategy] of Object.entries(others)) {
      await cluster.create(base(ns, 'daemonsets'), optedIn(daemonSet(name, { updateStrategy })))
      const spec = { template: podTemplate(name, 'example/app:2') }
      expect([name, hold(await patch(`${base(ns, 'daemonsets')}/${name}`, { spec }))]).toEqual([name, undefined])
    }
  })
})
