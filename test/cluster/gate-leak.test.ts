/** The gate holds every change under concurrent writes; the bench of the same name does it a thousand times. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConnection } from '../../src/kube/config/load.ts'
import { createClient, type KubeClient } from '../../src/kube/index.ts'
import { networkTransport } from '../../src/kube/network/index.ts'
import { applyAll } from '../../src/operator/install.ts'
import { rolloutPolicyDefinition } from '../../src/rollouts/policy/definition.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { findLeaks, untilGateHolds } from '../leak/find-leaks.ts'
import { startEngineOn } from './engine.ts'
import { hasAdmissionPolicies, removeGates } from './gate.ts'
import { onCluster } from './suite.ts'

const testTimeoutMs = 240_000

onCluster('leaks of the gate', (cluster) => {
  const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
  const ending = new AbortController()
  let client: KubeClient
  let close = async () => {}
  beforeAll(async () => {
    const transport = networkTransport(await loadConnection(runtime, cluster.target), runtime)
    client = createClient({ transport, runtime })
    close = () => transport.close()
    await applyAll(client, runtime, [rolloutPolicyDefinition], { signal: ending.signal })
  })
  afterAll(async () => {
    ending.abort()
    await removeGates(cluster)
    await close()
    await runtime.close()
  })

  const leaksAfter = async (changes: number, labels: Readonly<Record<string, string>> = {}) =>
    findLeaks(client, runtime, {
      namespace: await cluster.namespace(),
      changes,
      workloads: 4,
      writers: 6,
      labels,
      signal: ending.signal,
    })

  it.for(['policies', 'webhook'] as const)('has none with %s', { timeout: testTimeoutMs }, async (use, context) => {
    if (use === 'policies' && !(await hasAdmissionPolicies(cluster)))
      context.skip('the API server has no admission policies')
    const engine = await startEngineOn(cluster, { use })
    try {
      await untilGateHolds(client, await cluster.namespace())
      const { leaked, hooks, pods } = await leaksAfter(40)
      expect(leaked).toEqual([])
      expect([hooks, pods].every((number) => number > 10)).toBe(true)
      // The same observer detects changes that bypass hooks on request.
      expect((await leaksAfter(8, { 'carabiner.dev/release': 'true' })).leaked).not.toEqual([])
    } finally {
      await engine.stop()
      await removeGates(cluster)
    }
  })
})
