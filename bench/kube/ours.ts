/** Our reflector over the network transport, with a projection for a controller of pods, or with whole objects (`ours-whole`). */
import { connectTo, createReflector, type KubeObject, resources } from '../../src/kube/node.ts'
// Loaded before the measurement, like the modules of the other candidate.
import '../../src/kube/network/index.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'

interface Pod extends KubeObject {
  readonly spec: { readonly nodeName: string }
  readonly status: { readonly phase: string; readonly conditions: readonly { type: string; status: string }[] }
}

function project(object: KubeObject) {
  const { metadata, spec, status } = object as Pod
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    node: spec.nodeName,
    phase: status.phase,
    ready: status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
  }
}

export async function start(server: string, changed: () => void): Promise<{ size: () => number }> {
  const runtime = createRealRuntime({ log: { level: 'error' } })
  const connection = {
    name: 'bench',
    server,
    namespace: 'default',
    identity: async () => identity,
    renew: async () => false,
  }
  const { client } = await connectTo(connection, runtime)
  const pods = client.of(resources.pods)
  const reflector =
    process.argv[2] === 'ours-whole' ? createReflector(pods, runtime) : createReflector(pods, runtime, { project })
  void reflector.run(new AbortController().signal)
  await reflector.cache.synced
  reflector.cache.subscribe(changed)
  return { size: () => reflector.cache.size }
}

const identity = { tls: {}, headers: {} }
