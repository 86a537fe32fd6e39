/** Pods of container items, executed for real: the init and wait containers prepare and collect data with their permissions. */
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createItemNamespace, startStockDeployers, statusOf } from './deployers.ts'
import { cordonAll, ManualPod } from './manual-pod.ts'
import { kubectlPath } from './programs.ts'
import { onCluster } from './suite.ts'
import { mergePatch } from './workloads.ts'

onCluster('pods of container items', (cluster) => {
  describe.skipIf(kubectlPath === undefined)('with kubectl', () => {
    let stop = async () => {}
    let uncordon = async () => {}
    let bin = ''
    beforeAll(async () => {
      bin = join(cluster.target.home, 'bin')
      mkdirSync(bin)
      symlinkSync(kubectlPath ?? '', join(bin, 'kubectl'))
      uncordon = await cordonAll(cluster)
      stop = await startStockDeployers(cluster)
    })
    afterAll(async () => {
      await stop()
      await uncordon()
    })

    it('pass imports, exports and state between runs', async () => {
      const { ns, create, finished } = await createItemNamespace(cluster)
      const runLog = join(cluster.target.home, 'run-log')
      const script = `set -eu
count=$(cat "$STATE_PATH/deep/count" 2>/dev/null || echo 0)
echo "$OPERATION $count $(cat "$IMPORTS_PATH")" >> ${runLog}
mkdir -p "$STATE_PATH/deep"
echo $((count + 1)) > "$STATE_PATH/deep/count"
head -c 1500000 /dev/urandom > "$STATE_PATH/large"
[ "$OPERATION" = DELETE ] || printf '{"count": %s}' $((count + 1)) > "$EXPORTS_PATH"
`
      const pods = `/api/v1/namespaces/${ns}/pods`
      const run = async (other: string) => {
        const [pod] = await cluster.untilList(pods, (items) => items.some(({ metadata }) => metadata.name !== other))
        if (pod === undefined) throw new Error('there is no pod')
        const root = mkdtempSync(join(cluster.target.home, 'pod-'))
        const codes = await new ManualPod(cluster, pod, root, bin).run()
        expect(codes).toEqual({ init: 0, main: 0, wait: 0 })
        return pod.metadata.name
      }
      const exported = async (name: string) => {
        const { exportRef } = statusOf(await finished(name))
        const { data } = (await cluster.call('GET', `/api/v1/namespaces/${ns}/secrets/${exportRef?.name}`)).body
        return JSON.parse(atob(data?.['config'] ?? '')) as unknown
      }
      await create('item', 'container', {
        apiVersion: 'container.deployer.landscaper.gardener.cloud/v1alpha1',
        kind: 'ProviderConfiguration',
        image: 'example/tool:1',
        command: ['sh', '-c', script],
        importValues: { size: 3 },
      })
      const first = await run('')
      expect(await exported('item')).toEqual({ count: 1 })

      const path = `/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}/deployitems/item`
      await cluster.untilList(pods, (items) => items.length === 0)
      const annotations = { 'landscaper.gardener.cloud/operation': 'reconcile' }
      await cluster.call('PATCH', path, { headers: mergePatch, body: { metadata: { annotations } } })
      await run(first)
      await cluster.untilList(pods, (items) => items.length === 0)
      await cluster.until(path, (item) => statusOf(item).phase === 'Succeeded')
      expect(await exported('item')).toEqual({ count: 2 })

      await cluster.call('DELETE', path)
      await run('')
      await cluster.untilGone(path)
      const imports = '{"size":3}'
      expect(readFileSync(runLog, 'utf8').trim().split('\n')).toEqual([
        `RECONCILE 0 ${imports}`,
        `RECONCILE 1 ${imports}`,
        `DELETE 2 ${imports}`,
      ])
      // The exports of the item are deleted a little later.
      const secrets = `/api/v1/namespaces/${ns}/secrets`
      await cluster.untilList(secrets, (items) => !items.some(({ metadata }) => metadata.name.startsWith('item-')))
    }, 300_000)
  })
})
