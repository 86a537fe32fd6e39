/** The real control plane of the bench, and ConfigMaps in namespaces of it. */
import { connect, type KubeClient, type KubeObject, resources } from '../../src/kube/node.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import type { Binaries } from '../../test/control-plane/binaries.ts'
import { startControlPlane } from '../../test/control-plane/start.ts'
import { forEach } from '../rollouts/follow.ts'
import { pause } from './pause.ts'

const atOnce = 50

export interface BenchCluster {
  readonly kubeconfig: string
  readonly client: KubeClient
  stop(): Promise<void>
}

export async function startCluster(binaries: Binaries): Promise<BenchCluster> {
  const plane = await startControlPlane(binaries)
  const runtime = createRealRuntime({ log: { level: 'error' } })
  const options = { kubeconfig: plane.kubeconfig, userAgent: 'bench', rateLimit: { qps: 5000, burst: 5000 } }
  const { client, close } = await connect(runtime, options)
  return {
    kubeconfig: plane.kubeconfig,
    client,
    async stop() {
      await close()
      await runtime.close()
      await plane.stop()
    },
  }
}

/** ConfigMaps `map-0`, `map-1`, … of one namespace, each with `data.version`. */
export class ConfigMaps {
  readonly #client: KubeClient
  readonly namespace: string
  readonly names: readonly string[]
  #version = 0

  private constructor(client: KubeClient, namespace: string, count: number) {
    this.#client = client
    this.namespace = namespace
    this.names = Array.from({ length: count }, (_, index) => `map-${index}`)
  }

  static async create(
    { client }: BenchCluster,
    namespace: string,
    count: number,
    data: Readonly<Record<string, string>> = {},
  ): Promise<ConfigMaps> {
    const home: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
    await client.of(resources.namespaces).create(home)
    const maps = new ConfigMaps(client, namespace, count)
    await forEach(maps.names, atOnce, (name) =>
      client.of<KubeObject & { readonly data: object }>(resources.configMaps).create({
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } },
        data: { version: '0', ...data },
      }),
    )
    return maps
  }

  /** Writes the next version to each ConfigMap and returns it. */
  async change(): Promise<string> {
    const version = String(++this.#version)
    await forEach(this.names, atOnce, (name) => this.#write(name, version))
    return version
  }

  /** Writes the next version to one ConfigMap after the other. */
  async changeInTurn(intervalMs: number): Promise<void> {
    const version = String(++this.#version)
    for (const name of this.names) {
      await this.#write(name, version)
      await pause(intervalMs)
    }
  }

  #write(name: string, version: string): Promise<unknown> {
    const change = { type: 'merge', value: { data: { version } } } as const
    return this.#client.of(resources.configMaps).patch(name, change, { namespace: this.namespace })
  }
}

/** A hook that follows the versions of the ConfigMaps of a namespace. */
export function follows(namespace: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const selector = { namespace: { nameSelector: { matchNames: [namespace] } } }
  const kind = { apiVersion: 'v1', kind: 'ConfigMap' }
  const watched = { name: 'maps', ...kind, ...selector, jqFilter: '.data.version', keepFullObjectsInMemory: false }
  return { configVersion: 'v1', kubernetes: [{ ...watched, ...more }] }
}
