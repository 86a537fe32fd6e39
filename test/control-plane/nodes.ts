/** Our nodes, attached over the network to a control plane that has none. */
import { createClient } from '../../src/kube/client/create.ts'
import { loadConnection } from '../../src/kube/config/load.ts'
import { networkTransport } from '../../src/kube/transport/network.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { attachNodes } from '../../src/sandbox/nodes/attach.ts'
import type { ControlPlane } from './start.ts'

export async function attachTestNodes(plane: ControlPlane): Promise<{ stop(): Promise<void> }> {
  const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
  const transport = networkTransport(await loadConnection(runtime, { kubeconfig: plane.kubeconfig }), runtime)
  const nodes = attachNodes(createClient({ transport, runtime }), runtime, { nodes: 3 })
  await nodes.ready
  return {
    async stop() {
      await nodes.stop()
      await transport.close()
      await runtime.close()
    },
  }
}
