/** Public face of the rollouts surface: the resource, the gate, the engine. */
import type { KubeClient } from '../kube/client/client.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { startEngine } from './engine/engine.ts'
import { rolloutPolicyDefinition } from './policy/definition.ts'

export { rolloutPolicyDefinition } from './policy/definition.ts'
export type { RolloutPolicy, RolloutPolicySpec, RolloutPolicyStatus } from './policy/types.ts'

/** The plug for the operator. */
export const rolloutsSurface = {
  name: 'rollouts',
  resources: [rolloutPolicyDefinition],
  async start({
    client,
    runtime,
    signal,
  }: {
    readonly client: KubeClient
    readonly runtime: Runtime
    readonly signal: AbortSignal
  }) {
    const { ready, ended } = startEngine(client, runtime, signal)
    return { ready, stop: () => ended }
  },
}
