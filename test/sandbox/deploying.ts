/**
 * Runs a stock deployer on a sandbox in virtual time the way the library does: repeated calls until it is done, with a
 * status that is kept between calls. Records the writes to the target.
 */
import type { DeployContext, Deployer, Outcome } from '../../src/deployers/library/deployer.ts'
import type {
  DeployItem,
  DeployItemSpec,
  DeployItemStatus,
  EmbeddedResource,
} from '../../src/deployers/resources/types.ts'
import type { Targets } from '../../src/deployers/targets/clients.ts'
import type { KubeClient } from '../../src/kube/client/client.ts'
import { createClient } from '../../src/kube/client/create.ts'
import type { Json } from '../../src/runtime/json.ts'
import type { SandboxOptions } from '../../src/sandbox/index.ts'
import { inCluster, type TestCluster } from './cluster.ts'

export interface Item {
  status: DeployItemStatus
  exports: Readonly<Record<string, Json>> | undefined
  /** Provider statuses that were persisted during a call. */
  persisted: EmbeddedResource[]
}

export interface Stage {
  readonly cluster: TestCluster
  /** The client of the target; its writes are recorded. */
  readonly client: KubeClient
  /** Methods and paths of the writes since the last call. */
  written(): string[]
  /** Items are named `name` or `namespace/name`. */
  item(name?: string): Item
  /** One run: calls the deployer until it is done; returns a thrown error as text. */
  reconcile(config: unknown, name?: string, spec?: Partial<DeployItemSpec>): Promise<string>
  /** One call. */
  call(config: unknown, name?: string): Promise<Outcome | undefined>
  remove(config: unknown, name?: string): Promise<string>
  removeOnce(config: unknown, name?: string): Promise<Outcome | undefined>
}

export async function deploying(
  make: (targets: Targets) => Deployer,
  play: (stage: Stage) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  await inCluster(async (cluster) => {
    const { runtime, sandbox } = cluster
    const own = sandbox.transport()
    let writes: string[] = []
    const send: typeof own.send = (sent) => {
      if (sent.method !== 'GET') writes.push(`${sent.method} ${sent.target.split('?', 1)[0]}`)
      return own.send(sent)
    }
    const client = createClient({ transport: { ...own, send }, runtime })
    const targets: Targets = {
      access: async () => ({ client, namespace: 'default', kubeconfig: 'the kubeconfig' }),
      clientFor: async () => client,
      close: async () => {},
    }
    const deployer = make(targets)
    const items = new Map<string, Item>()
    const itemOf = (name = 'item') => {
      const item = items.get(name) ?? { status: {}, exports: undefined, persisted: [] }
      items.set(name, item)
      return item
    }
    const contextFor = (config: unknown, name = 'item', spec: Partial<DeployItemSpec> = {}): DeployContext => {
      const item = itemOf(name)
      const [own, namespace = 'default'] = name.split('/').toReversed()
      const deployItem: DeployItem & { status: DeployItemStatus } = {
        apiVersion: 'landscaper.gardener.cloud/v1alpha1',
        kind: 'DeployItem',
        metadata: { name: own ?? name, namespace, uid: `uid-of-${name}`, generation: 1 },
        spec: { type: deployer.type, config: config as EmbeddedResource, ...spec },
        status: item.status,
      }
      return {
        deployItem,
        config: config as EmbeddedResource,
        target: undefined,
        lsContext: {
          apiVersion: 'landscaper.gardener.cloud/v1alpha1',
          kind: 'Context',
          metadata: { name: 'default', namespace: 'default' },
        },
        clients: { landscaper: cluster.client, host: client, target: async () => client },
        runtime,
        clock: runtime.clock,
        log: runtime.log,
        signal: new AbortController().signal,
        deadline: undefined,
        report: () => {},
        event: () => {},
        setProviderStatus: (status) => {
          item.status.providerStatus = status
        },
        persist: async () => {
          if (item.status.providerStatus !== undefined) item.persisted.push(item.status.providerStatus)
        },
        exports: async (values) => {
          item.exports = values
        },
      }
    }
    const until = async (act: () => Promise<Outcome | undefined>): Promise<string> => {
      try {
        for (;;) {
          const outcome = await act()
          if (outcome?.unfinished !== true) return 'done'
          await runtime.clock.sleep(outcome.requeueAfterMs ?? 5000)
        }
      } catch (error) {
        const { message, codes = [] } = error as Error & { codes?: readonly string[] }
        return [...codes, message].join(' ')
      }
    }
    const call = async (config: unknown, name?: string) => deployer.reconcile(contextFor(config, name))
    const removeOnce = async (config: unknown, name?: string) => deployer.delete(contextFor(config, name))
    const begin = (name?: string) => {
      const { status } = itemOf(name)
      status.lastReconcileTime = new Date(Math.floor(runtime.clock.now() / 1000) * 1000).toISOString()
      delete status.lastError
      status.phase = 'Progressing'
    }
    await play({
      cluster,
      client,
      written: () => {
        const all = writes
        writes = []
        return all
      },
      item: itemOf,
      call,
      removeOnce,
      reconcile: (config, name, spec) => {
        begin(name)
        return until(async () => deployer.reconcile(contextFor(config, name, spec)))
      },
      remove: (config, name) => {
        begin(name)
        return until(() => removeOnce(config, name))
      },
    })
  }, options)
}
