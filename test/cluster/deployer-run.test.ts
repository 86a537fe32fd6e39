/** `carabiner deployer run` as built: one of several processes works, and shows its health and metrics. */
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { run, start } from '../sandbox/program.ts'
import { itemsOf, statusOf } from './deployers.ts'
import { pollUntil } from './poll-until.ts'
import { onCluster } from './suite.ts'

const file = fileURLToPath(new URL('../../examples/10-deployer/greeting.mjs', import.meta.url))

onCluster('carabiner deployer run', (cluster) => {
  it('[deployers P20] takes a Lease, serves health and metrics, and can be explained', async () => {
    const ns = await cluster.namespace()
    const env = { KUBECONFIG: cluster.target.kubeconfig }
    const args = ['deployer', 'run', file, '--install', '--landscaper', '--lease-namespace', ns]
    const first = start(args, env)
    const second = { process: undefined as ReturnType<typeof start> | undefined }
    try {
      const [, place = ''] = /(http:\/\/\S+)\/metrics/.exec(await first.line(/is ready.*metrics/)) ?? []
      const { body } = await cluster.call('GET', `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`)
      const [lease] = (body as unknown as { items: { metadata: { name: string } }[] }).items
      expect(lease?.metadata.name).toMatch(/^carabiner-deployer-[0-9a-f]{16}$/)
      expect((await fetch(`${place}/readyz`)).status).toBe(200)

      second.process = start(args, env)
      await cluster.create(itemsOf(ns), {
        apiVersion: 'landscaper.gardener.cloud/v1alpha1',
        kind: 'DeployItem',
        metadata: { name: 'hello' },
        spec: { type: 'example.com/greeting', config: { apiVersion: 'example.com/v1', kind: 'Greeting', text: 'a' } },
      })
      // Without a target this deployer fails the item.
      await cluster.until(`${itemsOf(ns)}/hello`, (item) => statusOf(item).phase === 'Failed')
      // The gauge is counted from the cache, which sees the item a moment later.
      const counted = 'carabiner_deploy_items{type="example.com/greeting",phase="Failed"} 1'
      const read = async () => (await fetch(`${place}/metrics`)).text()
      const metrics = await pollUntil('the count of items', read, (text) => text.includes(counted))
      expect(metrics).toMatch(/carabiner_deployer_calls_total\{deployer="\S+",function="reconcile",result="failed"\} 1/)
      for (const known of [
        ['--operator', place],
        ['--deployer', file],
      ]) {
        const { stdout } = await run(['item', 'explain', 'hello', '-n', ns, ...known], env)
        expect(stdout).toContain('the type matches and the item has no target')
      }

      first.interrupt()
      expect((await first.ended).code).toBe(0)
      await second.process.line(/is ready/)
    } finally {
      first.kill()
      second.process?.kill()
    }
  }, 120_000)
})
