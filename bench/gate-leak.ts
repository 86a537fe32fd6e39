/**
 * No pod passes the gate before its hook: a thousand changed templates under parallel writers with admission policies, three hundred with the
 * webhook, on the real control plane. A pod that was created before the hook in front of it had succeeded is a leak.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../src/kube/client/create.ts'
import { loadConnection } from '../src/kube/config/load.ts'
import { resources } from '../src/kube/kinds/index.ts'
import { networkTransport } from '../src/kube/network/index.ts'
import { install } from '../src/operator/install.ts'
import { rolloutPolicyDefinition } from '../src/rollouts/policy/definition.ts'
import { createRealRuntime } from '../src/runtime/real/index.ts'
import { startEngineOn } from '../test/cluster/engine.ts'
import { type Binaries, findOrBuildBinaries } from '../test/control-plane/binaries.ts'
import { attachTestNodes } from '../test/control-plane/nodes.ts'
import { startControlPlane } from '../test/control-plane/start.ts'
import { findLeaks, type LeakResult, untilGateHolds } from '../test/leak/find-leaks.ts'
import type { Bench, BenchContext } from './harness.ts'

const trials = [
  { gate: 'policies', changes: 1000 },
  { gate: 'webhook', changes: 300 },
] as const
const trialTimeoutMs = 1_800_000

async function trial(binaries: Binaries, gate: 'policies' | 'webhook', changes: number): Promise<LeakResult> {
  const plane = await startControlPlane(binaries, { admissionPolicies: gate === 'policies' })
  const home = mkdtempSync(join(tmpdir(), 'carabiner-leak-'))
  const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
  const { kubeconfig } = plane
  const transport = networkTransport(await loadConnection(runtime, { kubeconfig }), runtime)
  const nodes = await attachTestNodes(plane)
  const signal = AbortSignal.timeout(trialTimeoutMs)
  const namespace = 'leak'
  try {
    const client = createClient({ transport, runtime, rateLimit: { qps: 1000, burst: 1000 } })
    const definitions = { name: 'rollouts', resources: [rolloutPolicyDefinition], start: () => Promise.reject() }
    await install(client, runtime, [definitions], signal)
    await client.of(resources.namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    const engine = await startEngineOn({ target: { kubeconfig, home } }, { use: gate })
    try {
      await untilGateHolds(client, namespace)
      return await findLeaks(client, runtime, { namespace, changes, workloads: 24, writers: 16, signal })
    } finally {
      await engine.stop()
    }
  } finally {
    await nodes.stop()
    await transport.close()
    await runtime.close()
    await plane.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

export default {
  name: 'gate-leak',
  async run(context: BenchContext): Promise<void> {
    const binaries = findOrBuildBinaries()
    if (typeof binaries === 'string')
      return context.leaveOut(`everything, for there is no real control plane: ${binaries}`)
    for (const { gate, changes } of trials) {
      const result = await trial(binaries, gate, changes)
      context.report(`${gate}: changed templates`, result.changes, '', { atLeast: changes })
      context.report(`${gate}: hooks that let pods in`, result.hooks, '', { atLeast: changes / 10 })
      context.report(`${gate}: new pods`, result.pods, '', { atLeast: changes / 5 })
      context.report(`${gate}: new pods before their hook ended`, result.leaked.length, '', { atMost: 0 })
      for (const name of result.leaked) context.say(`${gate}: leaked ${name}`)
    }
  },
} satisfies Bench
