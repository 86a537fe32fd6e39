/** A sandbox in virtual time for tests: waiting costs no real time, and the same seed gives the same run. */
import type { KubeClient } from '../../src/kube/client/client.ts'
import { createClient } from '../../src/kube/client/create.ts'
import type { KubeObject, ResourceType } from '../../src/kube/object.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { createSimulation, type Simulation } from '../../src/runtime/simulated/index.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts'

export interface TestCluster {
  readonly client: KubeClient
  readonly sandbox: Sandbox
  readonly runtime: Runtime
  readonly simulation: Simulation
  /** Advances virtual time. */
  sleep(seconds: number): Promise<void>
  get<T extends KubeObject>(type: ResourceType, name: string): Promise<T>
  list<T extends KubeObject>(type: ResourceType, labelSelector?: string): Promise<T[]>
  create<T extends KubeObject>(
    type: ResourceType,
    object: Partial<T> & { metadata: KubeObject['metadata'] },
  ): Promise<T>
  /** A merge patch in the namespace `default`. */
  patch<T extends KubeObject>(type: ResourceType, name: string, value: object, subresource?: string): Promise<T>
  /** Polls once per virtual second until `done`; fails with the last value after `seconds`. */
  until<T>(look: () => Promise<T>, done: (value: T) => boolean, seconds?: number): Promise<T>
}

const namespace = 'default'

export async function inCluster(
  test: (cluster: TestCluster) => Promise<void>,
  options: SandboxOptions & { readonly seed?: number } = {},
): Promise<Simulation> {
  const { seed = 1, ...rest } = options
  const simulation = createSimulation(seed)
  await simulation.run(async () => {
    const { runtime } = simulation
    const sandbox = createSandbox(runtime, rest)
    const client = createClient({ transport: sandbox.transport(), runtime })
    await sandbox.ready
    await runtime.clock.sleep(100)
    try {
      await test({
        client,
        sandbox,
        runtime,
        simulation,
        sleep: (seconds) => runtime.clock.sleep(seconds * 1000),
        get: (type, name) => client.of<never>(type).get(name, type.namespaced ? { namespace } : {}),
        list: async (type, labelSelector) =>
          (
            await client
              .of<never>(type)
              .list({ ...(type.namespaced ? { namespace } : {}), ...(labelSelector ? { labelSelector } : {}) })
          ).items,
        create: (type, object) => {
          const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`
          const metadata = type.namespaced ? { namespace, ...object.metadata } : object.metadata
          return client.of<never>(type).create({ apiVersion, kind: type.kind, ...object, metadata } as never)
        },
        patch: (type, name, value, subresource) =>
          client
            .of<never>(type)
            .patch(
              name,
              { type: 'merge', value },
              { ...(type.namespaced ? { namespace } : {}), ...(subresource ? { subresource } : {}) },
            ),
        async until(look, done, seconds = 600) {
          let value = await look()
          for (let waited = 0; !done(value); waited++) {
            if (waited >= seconds) throw new Error(`condition not met after ${seconds} s: ${JSON.stringify(value)}`)
            await runtime.clock.sleep(1000)
            value = await look()
          }
          return value
        },
      })
    } finally {
      await sandbox.stop()
    }
  })
  return simulation
}

export function podTemplate(image = 'web:1', extra: { annotations?: Record<string, string>; spec?: object } = {}) {
  return {
    metadata: { labels: { app: 'web' }, ...(extra.annotations ? { annotations: extra.annotations } : {}) },
    spec: { containers: [{ name: 'web', image }], ...extra.spec },
  }
}
