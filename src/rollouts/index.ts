/** Public face of the rollouts surface: the resource, the gate, the engine. */
import type { KubeClient } from '../kube/client/client.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { startEngine } from './engine/engine.ts'
import { type GateOptions, startGate } from './gate/start.ts'
import { group, kind, rolloutPolicyDefinition, version } from './policy/definition.ts'

export type { RolloutPolicy, RolloutPolicySpec, RolloutPolicyStatus } from './policy/types.ts'

interface Context {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly signal: AbortSignal
}

/** The plug for the operator. */
export function rolloutsSurface(gate: GateOptions) {
  return {
    name: 'rollouts',
    resources: [rolloutPolicyDefinition],
    async start({ client, runtime, signal }: Context) {
      // Without the definition nothing could ever be watched; better to say so at once.
      await client.find(`${group}/${version}`, kind)
      const running = await startGate(client, runtime, gate)
      const { ready, ended } = startEngine(client, runtime, signal, running)
      const stop = async () => {
        try {
          await ended
        } finally {
          await running.stop()
        }
      }
      return { ready, stop }
    },
  }
}
