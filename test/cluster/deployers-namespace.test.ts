/** A namespace with deploy items can be deleted, and what the items installed elsewhere is deleted with it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createItemNamespace, inlineKubeconfig, itemsOf, startStockDeployers, statusOf } from './deployers.ts'
import { onCluster } from './suite.ts'
import { mergePatch } from './workloads.ts'

const group = 'landscaper.gardener.cloud'
const inUse = 'deployers.carabiner.dev/in-use'
const targetPath = (ns: string, name: string) => `/apis/${group}/v1alpha1/namespaces/${ns}/targets/${name}`

onCluster('the deletion of a namespace with deploy items', (cluster) => {
  let stop = async () => {}
  beforeAll(async () => {
    stop = await startStockDeployers(cluster)
  })
  afterAll(() => stop())

  const finalizersOf = async (path: string) => (await cluster.call('GET', path)).body.metadata?.finalizers ?? []
  const manifestConfig = (ns: string, name: string) => ({
    apiVersion: `manifest.deployer.${group}/v1alpha2`,
    kind: 'ProviderConfiguration',
    manifests: [
      { manifest: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: ns }, data: { a: '1' } } },
    ],
  })

  const patch = (path: string, body: object) => cluster.call('PATCH', path, { body, headers: mergePatch })

  async function namespaceWithSecret() {
    const elsewhere = await cluster.namespace()
    const { ns, create, finished, remove } = await createItemNamespace(cluster)
    const secret = `/api/v1/namespaces/${ns}/secrets/access`
    await cluster.create(`/api/v1/namespaces/${ns}/secrets`, {
      metadata: { name: 'access' },
      data: { kubeconfig: btoa(inlineKubeconfig(cluster.target)) },
    })
    await cluster.create(`/apis/${group}/v1alpha1/namespaces/${ns}/targets`, {
      apiVersion: `${group}/v1alpha1`,
      kind: 'Target',
      metadata: { name: 'by-secret' },
      spec: { type: `${group}/kubernetes-cluster`, config: { kubeconfig: { secretRef: { name: 'access' } } } },
    })
    return { ns, create, finished, remove, elsewhere, secret }
  }

  it('[deployers P15] uninstalls with a Target and a Secret that the deletion of the namespace waits for', async () => {
    const { ns, create, finished, elsewhere, secret } = await namespaceWithSecret()
    await create('one', 'kubernetes-manifest', manifestConfig(elsewhere, 'one'))
    await create('two', 'kubernetes-manifest', manifestConfig(elsewhere, 'two'), { target: { name: 'by-secret' } })
    const mock = { apiVersion: `mock.deployer.${group}/v1alpha1`, kind: 'ProviderConfiguration' }
    await create('three', 'mock', mock, { target: undefined })
    for (const name of ['one', 'two', 'three']) expect(statusOf(await finished(name)).phase).toBe('Succeeded')
    expect(await finalizersOf(targetPath(ns, 'main'))).toContain(inUse)
    expect(await finalizersOf(secret)).toContain(inUse)
    await cluster.call('DELETE', `/api/v1/namespaces/${ns}`)
    await cluster.untilGone(`/api/v1/namespaces/${ns}`, 90)
    for (const name of ['one', 'two'])
      expect((await cluster.call('GET', `/api/v1/namespaces/${elsewhere}/configmaps/${name}`)).status).toBe(404)
  })

  it('releases Target and Secret when the last item is gone, and not before', async () => {
    const { ns, create, finished, remove, elsewhere, secret } = await namespaceWithSecret()
    const target = targetPath(ns, 'by-secret')
    for (const name of ['one', 'two']) {
      await create(name, 'kubernetes-manifest', manifestConfig(elsewhere, name), { target: { name: 'by-secret' } })
      await finished(name)
    }
    await remove('one')
    expect([await finalizersOf(target), await finalizersOf(secret)]).toEqual([[inUse], [inUse]])
    await remove('two')
    await cluster.until(target, ({ metadata }) => (metadata.finalizers ?? []).length === 0)
    expect(await finalizersOf(secret)).toEqual([])
  })

  it('goes on without uninstalling when the Target was removed by force', async () => {
    const { ns, create, finished, elsewhere } = await namespaceWithSecret()
    await create('one', 'kubernetes-manifest', manifestConfig(elsewhere, 'one'))
    await finished('one')
    const target = targetPath(ns, 'main')
    await patch(target, { metadata: { finalizers: null } })
    await cluster.call('DELETE', target)
    await patch(target, { metadata: { finalizers: null } }).catch(() => undefined)
    await cluster.untilGone(target)
    await cluster.call('DELETE', `/api/v1/namespaces/${ns}`)
    const item = `${itemsOf(ns)}/one`
    await cluster.until(
      item,
      (found) => statusOf(found).lastError?.message.includes('delete-without-uninstall') ?? false,
    )
    await patch(item, { metadata: { annotations: { [`${group}/delete-without-uninstall`]: 'true' } } })
    await cluster.untilGone(`/api/v1/namespaces/${ns}`, 90)
    expect((await cluster.call('GET', `/api/v1/namespaces/${elsewhere}/configmaps/one`)).status).toBe(200)
  })
})
