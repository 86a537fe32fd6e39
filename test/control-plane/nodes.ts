/** Attaches the sandbox's nodes over the network to a control plane that has none. */
import { createClient } from '../../src/kube/client/create.ts'
import { loadConnection } from '../../src/kube/config/load.ts'
import { networkTransport } from '../../src/kube/network/index.ts'
import { createAuthority, createRealRuntime } from '../../src/runtime/real/index.ts'
import { attachNodes } from '../../src/sandbox/nodes/attach.ts'
import type { ControlPlane } from './start.ts'

export async function attachTestNodes(plane: ControlPlane): Promise<{ stop(): Promise<void> }> {
  const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
  const transport = networkTransport(await loadConnection(runtime, { kubeconfig: plane.kubeconfig }), runtime)
  const host = '127.0.0.1'
  // Without --kubelet-certificate-authority the API server accepts any certificate of a node.
  const tls = createAuthority('nodes').issueServer({ commonName: 'node', names: [host] })
  const nodes = attachNodes(createClient({ transport, runtime }), runtime, { nodes: 3, endpoint: { host, tls } })
  await nodes.ready
  return {
    async stop() {
      await nodes.stop()
      await transport.close()
      await runtime.close()
    },
  }
}
