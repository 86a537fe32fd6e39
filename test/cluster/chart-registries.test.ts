/** Charts fetched by helm with the credentials and CAs of items and Contexts. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChartRegistry, startChartRegistry } from './chart-registry.ts'
import { createItemNamespace, startStockDeployers, statusOf } from './deployers.ts'
import { helm, helmPath } from './programs.ts'
import { onCluster } from './suite.ts'
import { mergePatch } from './workloads.ts'

onCluster('charts from elsewhere', (cluster) => {
  describe.skipIf(helmPath === undefined)('with helm', () => {
    let registry: ChartRegistry
    let stop = async () => {}
    const logLines: string[] = []
    const before = process.env['SSL_CERT_FILE']
    beforeAll(async () => {
      const folder = mkdtempSync(join(cluster.target.home, 'registry-'))
      const chart = fileURLToPath(new URL('chart/', import.meta.url))
      const { code, stderr } = await helm(cluster.target, ['package', chart, '--destination', folder])
      if (code !== 0) throw new Error(stderr)
      registry = await startChartRegistry(readFileSync(join(folder, 'hello-0.1.0.tgz')))
      // Like a deployer image with company CAs.
      const authorities = join(folder, 'ca.pem')
      writeFileSync(authorities, registry.ca)
      process.env['SSL_CERT_FILE'] = authorities
      stop = await startStockDeployers(cluster, (line) => logLines.push(line))
    })
    afterAll(async () => {
      await stop()
      await registry?.stop()
      if (before === undefined) delete process.env['SSL_CERT_FILE']
      else process.env['SSL_CERT_FILE'] = before
    })

    const configFor = (ns: string, chart: object) => ({
      apiVersion: 'helm.deployer.landscaper.gardener.cloud/v1alpha1',
      kind: 'ProviderConfiguration',
      chart,
      name: 'hello',
      namespace: ns,
      values: { greeting: 'from afar' },
    })
    const outcome = ({ phase, lastError }: ReturnType<typeof statusOf>) => `${phase} ${lastError?.message ?? ''}`.trim()
    const greeting = async (ns: string) =>
      (await cluster.call('GET', `/api/v1/namespaces/${ns}/configmaps/hello`)).body.data?.['greeting']

    it('are fetched by URL', async () => {
      const { ns, create, finished, remove } = await createItemNamespace(cluster)
      const url = `https://${registry.host}/open/hello-0.1.0.tgz`
      await create('item', 'helm', configFor(ns, { archive: { remote: { url } } }))
      expect(outcome(statusOf(await finished('item')))).toBe('Succeeded')
      expect(await greeting(ns)).toBe('from afar')
      await remove('item')
    })

    it('are fetched from a repository with credentials and CA of the Context', async () => {
      const { ns, create, finished, remove } = await createItemNamespace(cluster)
      const context = `/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}/contexts/default`
      await cluster.until(context, () => true)
      const url = `https://${registry.host}/charts`
      const auth = { url, customCAData: registry.ca, authHeader: `Basic ${btoa(registry.credentials)}` }
      const body = { configurations: { helmChartRepoCredentials: { auths: [auth] } } }
      expect((await cluster.call('PATCH', context, { headers: mergePatch, body })).status).toBe(200)
      const helmChartRepo = { helmChartRepoUrl: url, helmChartName: 'hello', helmChartVersion: '0.1.0' }
      await create('item', 'helm', configFor(ns, { helmChartRepo }))
      expect(outcome(statusOf(await finished('item')))).toBe('Succeeded')
      expect(registry.requestedPaths).toContain('/charts/hello-0.1.0.tgz')
      await remove('item')
    })

    it('are fetched from an OCI registry with the pull secret of the item', async () => {
      const { ns, create, finished, remove } = await createItemNamespace(cluster)
      const auths = { [registry.host]: { auth: btoa(registry.credentials) } }
      await cluster.create(`/api/v1/namespaces/${ns}/secrets`, {
        metadata: { name: 'registry' },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
      })
      const config = configFor(ns, { ref: `${registry.host}/charts/hello:0.1.0` })
      await create('item', 'helm', config, { registryPullSecrets: [{ name: 'registry', namespace: ns }] })
      expect(outcome(statusOf(await finished('item')))).toBe('Succeeded')
      expect(await greeting(ns)).toBe('from afar')
      expect(registry.requestedPaths).toContain('/v2/charts/hello/manifests/0.1.0')
      await remove('item')
    })

    it('report the error of the registry', async () => {
      const { ns, create } = await createItemNamespace(cluster)
      await create('item', 'helm', configFor(ns, { ref: `${registry.host}/charts/hello:0.1.0` }))
      const path = `/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}/deployitems/item`
      // A new namespace may lack its Context at the first attempt.
      const pattern = /helm (upgrade|install|pull|template): .*(401|unauthorized|basic)/i
      await cluster.until(path, (item) => pattern.test(outcome(statusOf(item))))
    })

    it.each(['an OCI registry', 'a repository'])('do not reveal the credentials that %s refuses', async (from) => {
      const { ns, create } = await createItemNamespace(cluster)
      const path = `/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}`
      await cluster.until(`${path}/contexts/default`, () => true)
      const wrong = 'shopper:mistyped-word'
      if (from === 'a repository') {
        const url = `https://${registry.host}/charts`
        const auth = { url, customCAData: registry.ca, authHeader: `Basic ${btoa(wrong)}` }
        const body = { configurations: { helmChartRepoCredentials: { auths: [auth] } } }
        await cluster.call('PATCH', `${path}/contexts/default`, { headers: mergePatch, body })
        const helmChartRepo = { helmChartRepoUrl: url, helmChartName: 'hello', helmChartVersion: '0.1.0' }
        await create('item', 'helm', configFor(ns, { helmChartRepo }))
      } else {
        await cluster.create(`/api/v1/namespaces/${ns}/secrets`, {
          metadata: { name: 'registry' },
          type: 'kubernetes.io/dockerconfigjson',
          stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [registry.host]: { auth: btoa(wrong) } } }) },
        })
        const config = configFor(ns, { ref: `${registry.host}/charts/hello:0.1.0` })
        await create('item', 'helm', config, { registryPullSecrets: [{ name: 'registry', namespace: ns }] })
      }
      const pattern = /helm .*(401|unauthorized|denied)/i
      const failing = await cluster.until(`${path}/deployitems/item`, (item) => pattern.test(outcome(statusOf(item))))
      expect(registry.refused).toContain(`Basic ${btoa(wrong)}`)
      const events = await cluster.untilList(`/apis/events.k8s.io/v1/namespaces/${ns}/events`, (all) =>
        all.some((event) => pattern.test((event as unknown as { note: string }).note)),
      )
      const own = logLines.filter((line) => line.includes(ns))
      expect(own).not.toEqual([])
      const output = JSON.stringify([failing, events, logLines])
      for (const secret of ['mistyped-word', btoa(wrong)]) expect(output).not.toContain(secret)
    })
  })
})
