import { describe, expect, it } from 'vitest'
import {
  createReflector,
  type Deployment,
  type KubeClient,
  keyOf,
  OwnWrites,
  resources,
  runController,
  source,
} from '../../src/kube/index.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { inCluster, podTemplate } from './cluster.ts'

/** What a user of the library writes: gives every Deployment a ConfigMap with its size. No cast, no type argument. */
function runSizes(client: KubeClient, runtime: Runtime, signal: AbortSignal): Promise<unknown> {
  const deployments = createReflector(client.of(resources.deployments), runtime)
  const configMaps = createReflector(client.of(resources.configMaps), runtime)
  const writes = new OwnWrites(runtime.clock)
  const controller = runController({
    name: 'sizes',
    runtime,
    sources: [source(deployments.cache), source(configMaps.cache)],
    signal,
    async reconcile(key) {
      const deployment = deployments.cache.get(key)
      const found = configMaps.cache.get(key)
      const pending = writes.pending(key, (uid) =>
        found?.metadata.uid === uid ? found.metadata.resourceVersion : undefined,
      )
      if (deployment === undefined || pending !== undefined) return pending
      const data = { replicas: String(deployment.spec.replicas), ready: String(deployment.status?.readyReplicas ?? 0) }
      if (found?.data?.['ready'] === data.ready && found.data['replicas'] === data.replicas) return undefined
      const { name, namespace = '' } = deployment.metadata
      const handle = client.of(resources.configMaps)
      if (found === undefined) {
        const metadata = { name, namespace }
        writes.created(key, await handle.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, { signal }))
      } else writes.updated(key, await handle.update({ ...found, data }, { signal }))
      return undefined
    },
  })
  return Promise.all([controller, deployments.run(signal), configMaps.run(signal)])
}

describe('a controller over kube/kinds', () => {
  it('reads and writes typed objects without a cast', () =>
    inCluster(async (cluster) => {
      const stop = new AbortController()
      const running = runSizes(cluster.client, cluster.runtime, stop.signal)
      const deployment = await cluster.create<Deployment>(resources.deployments, {
        metadata: { name: 'web' },
        spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: podTemplate() },
      })
      const data = await cluster.until(
        async () =>
          (await cluster.client.of(resources.configMaps).list({ namespace: 'default' })).items.find(
            (one) => keyOf(one) === keyOf(deployment),
          )?.data,
        (found) => found?.['ready'] === '2',
      )
      expect(data).toEqual({ replicas: '2', ready: '2' })
      stop.abort()
      await running
    }))
})
