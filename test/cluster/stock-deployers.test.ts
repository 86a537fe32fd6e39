/** The stock deployers from the creation to the deletion of an item, with the real helm. */
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createItemNamespace, inlineKubeconfig, startStockDeployers, statusOf } from './deployers.ts'
import { cordonAll } from './manual-pod.ts'
import { pollUntil } from './poll-until.ts'
import { helm, helmPath } from './programs.ts'
import { onCluster } from './suite.ts'
import type { Thing } from './target.ts'
import { deployment, isRolledOut, mergePatch } from './workloads.ts'

const manifestConfig = (manifests: readonly object[], more: object = {}) => ({
  apiVersion: 'manifest.deployer.landscaper.gardener.cloud/v1alpha2',
  kind: 'ProviderConfiguration',
  manifests: manifests.map((manifest) => ({ manifest })),
  ...more,
})
const manifests = 'kubernetes-manifest'

const managed = (item: Thing) =>
  (statusOf(item).providerStatus?.managedResources ?? []).map(({ resource }) => `${resource.kind} ${resource.name}`)

const outcome = (item: Thing) => {
  const { phase, lastError } = statusOf(item)
  return [phase, ...(lastError?.codes ?? []), lastError?.message ?? ''].join(' ').trim()
}

onCluster('stock deployers', (cluster) => {
  let stop = async () => {}
  beforeAll(async () => {
    stop = await startStockDeployers(cluster)
  })
  afterAll(() => stop())

  const configMap = (ns: string, name: string, data: object = { a: '1' }) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: ns },
    data,
  })
  const deploymentIn = (ns: string, replicas: number) => {
    const { metadata, ...rest } = deployment('web', replicas)
    return { apiVersion: 'apps/v1', kind: 'Deployment', ...rest, metadata: { ...metadata, namespace: ns } }
  }
  const get = async (path: string) => (await cluster.call('GET', path)).body
  /**
   * Another error can occur first and is retried: permissions that are not effective yet, an address that cannot be
   * allocated yet.
   */
  const failing = async (path: string, pattern: RegExp) =>
    expect(outcome(await cluster.until(path, (item) => pattern.test(outcome(item))))).toMatch(pattern)
  const deploymentPath = (ns: string) => `/apis/apps/v1/namespaces/${ns}/deployments/web`
  const configMapPath = (ns: string, name: string) => `/api/v1/namespaces/${ns}/configmaps/${name}`

  it('applies manifests, waits for them, reads exports, changes and deletes them', async () => {
    const { ns, create, change, finished, remove } = await createItemNamespace(cluster)
    const fromResource = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: ns }
    const exports = { exports: [{ key: 'web.ready', jsonPath: '.status.readyReplicas', fromResource }] }
    const list = [configMap(ns, 'a'), deploymentIn(ns, 2)]
    await create('item', manifests, manifestConfig(list, { exports }))
    const done = await finished('item')
    expect(outcome(done)).toBe('Succeeded')
    expect(managed(done)).toEqual(['ConfigMap a', 'Deployment web'])
    expect(isRolledOut(await get(deploymentPath(ns)))).toBe(true)
    const secret = await get(`/api/v1/namespaces/${ns}/secrets/item-export`)
    expect(JSON.parse(atob(secret.data?.['config'] ?? ''))).toEqual({ web: { ready: 2 } })
    expect(secret.metadata.ownerReferences?.[0]?.name).toBe('item')

    await change('item', { config: manifestConfig([configMap(ns, 'b'), deploymentIn(ns, 1)]) })
    const changed = await finished('item')
    expect([outcome(changed), managed(changed)]).toEqual(['Succeeded', ['ConfigMap b', 'Deployment web']])
    expect((await cluster.call('GET', configMapPath(ns, 'a'))).status).toBe(404)

    await remove('item')
    expect((await cluster.call('GET', configMapPath(ns, 'b'))).status).toBe(404)
    expect((await cluster.call('GET', deploymentPath(ns))).status).toBe(404)
  })

  it('[deployers P2] restores a Deployment that another client scaled to zero', async () => {
    const { ns, create, finished, remove } = await createItemNamespace(cluster)
    await create('item', manifests, manifestConfig([deploymentIn(ns, 2)], { continuousReconcile: { every: '2s' } }))
    expect(outcome(await finished('item'))).toBe('Succeeded')
    await cluster.call('PATCH', deploymentPath(ns), { headers: mergePatch, body: { spec: { replicas: 0 } } })
    const back = await cluster.until(deploymentPath(ns), (found) => found.spec['replicas'] === 2 && isRolledOut(found))
    expect(back.spec['replicas']).toBe(2)
    await remove('item')
  })

  it('applies a definition and an object of its kind in one item', async () => {
    const { ns, create, finished, remove } = await createItemNamespace(cluster)
    const group = `${ns}.example.org`
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    }
    const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'one', namespace: ns } }
    await create('item', manifests, manifestConfig([thing, definition]))
    expect(outcome(await finished('item'))).toBe('Succeeded')
    await remove('item')
    // A deleted definition is served a moment longer.
    await pollUntil(
      'the removal of the kind',
      () => cluster.call('GET', `/apis/${group}/v1/namespaces/${ns}/things`),
      ({ status }) => status === 404,
    )
  })

  it('applies a mebibyte of manifests', async () => {
    const { ns, create, finished } = await createItemNamespace(cluster)
    const list = Array.from({ length: 4 }, (_, index) => configMap(ns, `big-${index}`, { a: 'x'.repeat(256 * 1024) }))
    await create('item', manifests, manifestConfig(list))
    const done = await finished('item')
    expect(outcome(done)).toBe('Succeeded')
    expect(JSON.stringify(done.status).length).toBeLessThan(4096)
  })

  it('reports a cluster-scoped object that a namespaced target cannot create', async () => {
    const { ns, create, finished } = await createItemNamespace(
      cluster,
      inlineKubeconfig(cluster.target, { as: 'confined' }),
    )
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}`
    await cluster.create(`${rbac}/roles`, {
      metadata: { name: 'all' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
    })
    await cluster.create(`${rbac}/rolebindings`, {
      metadata: { name: 'all' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'all' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'confined' }],
    })
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${ns}-more` } }
    await create('item', manifests, manifestConfig([configMap(ns, 'a'), namespace]))
    const path = `/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}/deployitems/item`
    await failing(
      path,
      /^Progressing ERR_UNAUTHORIZED Namespace \S+-more \(spec\.config\.manifests\[1\]\.manifest\): .*forbidden/,
    )
    expect((await cluster.call('GET', configMapPath(ns, 'a'))).status).toBe(200)
    await cluster.call('PATCH', path, {
      headers: mergePatch,
      body: { spec: { config: manifestConfig([configMap(ns, 'a')]) } },
    })
    expect(outcome(await finished('item'))).toBe('Succeeded')
  })

  it('refuses a kubeconfig with a credential plugin without revealing secrets', async () => {
    const exec = { command: 'touch', args: ['/tmp/never'], apiVersion: 'client.authentication.k8s.io/v1' }
    const { ns, create, finished } = await createItemNamespace(cluster, inlineKubeconfig(cluster.target, { exec }))
    await create('item', manifests, manifestConfig([configMap(ns, 'a')]))
    const result = outcome(await finished('item'))
    expect(result).toContain('Failed ERR_CONFIGURATION_PROBLEM')
    expect(result).toContain('user "main": exec would run a program')
    expect(result).not.toContain(cluster.target.token)
  })

  it('executes the steps of a mock item', async () => {
    const { create, finished, remove, ns } = await createItemNamespace(cluster)
    const config = { apiVersion: 'mock.deployer.landscaper.gardener.cloud/v1alpha1', kind: 'ProviderConfiguration' }
    await create('good', 'mock', { ...config, export: { a: 1 } })
    await create('bad', 'mock', { ...config, phase: 'Failed' })
    const good = await finished('good')
    expect(outcome(good)).toBe('Succeeded')
    expect(outcome(await finished('bad'))).toMatch(/^Failed/)
    const path = `/api/v1/namespaces/${ns}/secrets/${statusOf(good).exportRef?.name}`
    expect(JSON.parse(atob((await get(path)).data?.['config'] ?? ''))).toEqual({ a: 1 })
    await remove('good')
    await cluster.untilGone(path)
  })

  it('runs a container for the item and another one before its deletion', async () => {
    const { ns, create, finished } = await createItemNamespace(cluster)
    await create('item', 'container', {
      apiVersion: 'container.deployer.landscaper.gardener.cloud/v1alpha1',
      kind: 'ProviderConfiguration',
      image: 'example/tool:1',
    })
    const done = await finished('item')
    expect(outcome(done)).toBe('Succeeded')
    const pods = `/api/v1/namespaces/${ns}/pods`
    await cluster.untilList(pods, (items) => items.length === 0)
    const path = `/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}/deployitems/item`
    // Without a node the pod and the item wait.
    const uncordon = await cordonAll(cluster)
    try {
      await cluster.call('DELETE', path)
      const [pod] = await cluster.untilList(pods, (items) => items.length > 0)
      expect(JSON.stringify(pod?.spec['containers'])).toContain('{"name":"OPERATION","value":"DELETE"}')
      expect((await get(path)).metadata.finalizers).toEqual(['finalizer.landscaper.gardener.cloud'])
    } finally {
      await uncordon()
    }
    await cluster.untilGone(path)
  })

  describe.skipIf(helmPath === undefined)('with helm', () => {
    let archive = ''
    beforeAll(async () => {
      const folder = mkdtempSync(join(cluster.target.home, 'chart-'))
      const chart = fileURLToPath(new URL('chart/', import.meta.url))
      const { code, stderr } = await helm(cluster.target, ['package', chart, '--destination', folder])
      if (code !== 0) throw new Error(stderr)
      archive = readFileSync(join(folder, 'hello-0.1.0.tgz')).toString('base64')
    })

    const helmConfig = (ns: string, more: object = {}) => ({
      apiVersion: 'helm.deployer.landscaper.gardener.cloud/v1alpha1',
      kind: 'ProviderConfiguration',
      chart: { archive: { raw: archive } },
      name: 'hello',
      namespace: ns,
      ...more,
    })
    const revisions = async (ns: string) =>
      (await get(`/api/v1/namespaces/${ns}/secrets?labelSelector=owner%3Dhelm`)).items.map(
        ({ metadata }) => `${metadata.labels?.['version']} ${metadata.labels?.['status']}`,
      )

    it('installs, upgrades and uninstalls a release [deployers B10]', async () => {
      const { ns, create, change, finished, remove } = await createItemNamespace(cluster)
      await create('item', 'helm', helmConfig(ns, { values: { greeting: 'hello' } }))
      const first = await finished('item')
      expect(outcome(first)).toBe('Succeeded')
      expect(managed(first)).toEqual(['ConfigMap hello', 'Service hello', 'Deployment hello'])
      expect(await revisions(ns)).toEqual(['1 deployed'])
      await change('item', { config: helmConfig(ns, { values: { greeting: 'bonjour' } }) })
      expect(outcome(await finished('item'))).toBe('Succeeded')
      expect((await get(configMapPath(ns, 'hello'))).data).toEqual({ greeting: 'bonjour' })
      expect(await revisions(ns)).toEqual(['1 superseded', '2 deployed'])
      await remove('item')
      expect(await revisions(ns)).toEqual([])
      expect((await cluster.call('GET', configMapPath(ns, 'hello'))).status).toBe(404)
    })

    it('recovers a release left pending by an interrupted run', async () => {
      const { ns, create, change, finished, remove } = await createItemNamespace(cluster)
      await create('item', 'helm', helmConfig(ns))
      expect(outcome(await finished('item'))).toBe('Succeeded')
      const secret = await get(`/api/v1/namespaces/${ns}/secrets/sh.helm.release.v1.hello.v1`)
      const { resourceVersion: _, uid: __, ...metadata } = secret.metadata
      await cluster.create(`/api/v1/namespaces/${ns}/secrets`, {
        ...secret,
        metadata: {
          ...metadata,
          name: 'sh.helm.release.v1.hello.v2',
          labels: { ...metadata.labels, version: '2', status: 'pending-upgrade' },
        },
      })
      await change('item', { config: helmConfig(ns, { values: { greeting: 'again' } }) })
      expect(outcome(await finished('item'))).toBe('Succeeded')
      expect((await get(configMapPath(ns, 'hello'))).data).toEqual({ greeting: 'again' })
      await remove('item')
    })

    it('renders and applies a chart and keeps the namespace it created [deployers B11]', async () => {
      const { ns, create, finished, remove } = await createItemNamespace(cluster)
      const own = `${ns}-chart`
      const exports = { exports: [{ key: 'replicas', jsonPath: '.Values.replicas' }] }
      const rendered = { helmDeployment: false, createNamespace: true, values: { greeting: 'hello' }, exports }
      await create('item', 'helm', helmConfig(own, rendered))
      const done = await finished('item')
      expect(outcome(done)).toBe('Succeeded')
      expect(managed(done)).toEqual([`Namespace ${own}`, 'ConfigMap hello', 'Service hello', 'Deployment hello'])
      const { metadata } = await get(configMapPath(own, 'hello'))
      expect(metadata.labels?.['helm.deployer.landscaper.gardener.cloud/deployitem']).toBe('item')
      expect(await revisions(own)).toEqual([])
      const secret = await get(`/api/v1/namespaces/${ns}/secrets/item-export`)
      expect(JSON.parse(atob(secret.data?.['config'] ?? ''))).toEqual({ replicas: expect.any(Number) })
      await remove('item')
      expect((await cluster.call('GET', configMapPath(own, 'hello'))).status).toBe(404)
      expect((await get(`/api/v1/namespaces/${own}`)).metadata.deletionTimestamp).toBeUndefined()
    })

    it('switches between a release and applied objects without re-creating them', async () => {
      const { ns, create, change, finished, remove } = await createItemNamespace(cluster)
      const uid = async () => (await get(`/apis/apps/v1/namespaces/${ns}/deployments/hello`)).metadata.uid
      await create('item', 'helm', helmConfig(ns, { helmDeployment: false }))
      expect(outcome(await finished('item'))).toBe('Succeeded')
      const first = await uid()
      await change('item', { config: helmConfig(ns, { helmDeployment: true }) })
      expect(outcome(await finished('item'))).toBe('Succeeded')
      expect([await uid(), await revisions(ns)]).toEqual([first, ['1 deployed']])
      await change('item', { config: helmConfig(ns, { helmDeployment: false }) })
      expect(outcome(await finished('item'))).toBe('Succeeded')
      expect([await uid(), await revisions(ns)]).toEqual([first, []])
      await remove('item')
      expect((await cluster.call('GET', configMapPath(ns, 'hello'))).status).toBe(404)
    })

    it('fails with the error message of helm', async () => {
      const { ns, create, finished, change, remove } = await createItemNamespace(cluster)
      await create('item', 'helm', helmConfig(ns, { values: { replicas: 'many' } }))
      const path = `/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}/deployitems/item`
      await failing(path, /^Progressing helm upgrade: .*replicas/)
      await change('item', { config: helmConfig(ns, { values: { replicas: 1 } }) })
      expect(outcome(await finished('item'))).toBe('Succeeded')
      await remove('item')
    })
  })
})
