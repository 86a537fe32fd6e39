/** Our nodes, attached to a control plane that has none. */
import type { ControlPlane } from './start.ts'

export async function attachTestNodes(_plane: ControlPlane): Promise<{ stop(): Promise<void> }> {
  return { stop: async () => {} }
}
