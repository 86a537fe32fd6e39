/**
 * The nodes, in their own process: they write that a pod runs and is ready, how it ended, and delete it, and nothing else.
 * Argument: the kubeconfig. Prints `ready` and runs until it gets a signal.
 */
import { connect } from '../../src/kube/network/index.ts'
import { createAuthority, createRealRuntime } from '../../src/runtime/real/index.ts'
import { attachNodes } from '../../src/sandbox/nodes/attach.ts'

const runtime = createRealRuntime({ log: { level: 'error' } })
const { client, close } = await connect(runtime, {
  kubeconfig: process.argv[2] ?? '',
  userAgent: 'nodes',
  rateLimit: { qps: 5000, burst: 5000 },
})
const host = '127.0.0.1'
const tls = createAuthority('nodes').issueServer({ commonName: 'node', names: [host] })
// Pods are ready after 50 ms, in the same write as their start, and end after 150 ms.
const simulate = { startDelay: 50, runFor: 100 }
const nodes = attachNodes(client, runtime, { nodes: 6, simulate, events: false, endpoint: { host, tls } })
await nodes.ready
console.log('ready')
await new Promise((resolve) => process.once('SIGTERM', resolve))
await nodes.stop()
await close()
await runtime.close()
