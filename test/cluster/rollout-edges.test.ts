/** The edge cases of rollouts against a cluster, all in parallel, each in its own namespace. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { createClient } from '../../src/kube/client/create.ts'
import { loadConnection } from '../../src/kube/config/load.ts'
import { networkTransport } from '../../src/kube/network/index.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { startEngineOn } from './engine.ts'
import { definePolicies, type InstalledGate, installGate } from './gate.ts'
import { documentEdges } from './rollout-edges-documents.ts'
import { interventionEdges } from './rollout-edges-interventions.ts'
import { progressEdges } from './rollout-edges-progress.ts'
import { recreatedEdges } from './rollout-edges-recreated.ts'
import { templateEdges } from './rollout-edges-templates.ts'
import { unstableEdges } from './rollout-edges-unstable.ts'
import { withoutPodsEdges } from './rollout-edges-without-pods.ts'
import { type Stage, stageOn } from './rollout-stage.ts'
import { onCluster } from './suite.ts'

onCluster('edge cases of rollouts', (cluster) => {
  const ending = new AbortController()
  let gate: InstalledGate
  let stageIn: (namespace: string) => Stage
  let stop = async () => {}
  beforeAll(async () => {
    await definePolicies(cluster)
    gate = await installGate(cluster)
    const engine = await startEngineOn(cluster)
    const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
    const { kubeconfig } = cluster.target
    const transport = networkTransport(await loadConnection(runtime, { kubeconfig }), runtime)
    const client = createClient({ transport, runtime })
    stageIn = (namespace) => stageOn(client, runtime, namespace, ending.signal)
    stop = async () => {
      ending.abort()
      await engine.stop()
      await transport.close()
      await runtime.close()
    }
  })
  afterAll(async () => {
    await stop()
    await gate?.remove()
  })

  describe.concurrent('each in its own namespace', () => {
    for (const { title, play } of [
      ...documentEdges,
      ...templateEdges,
      ...progressEdges,
      ...withoutPodsEdges,
      ...interventionEdges,
      ...unstableEdges,
      ...recreatedEdges,
    ])
      it(title, async () => play(stageIn(await cluster.namespace())), 300_000)
  })
})
