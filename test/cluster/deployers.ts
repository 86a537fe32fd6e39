/** Runs the deployers surface like the operator, against the cluster under test. */
import {
  createTargets,
  type Deployer,
  deployersSurface,
  stockDeployers,
  type Targets,
} from '../../src/deployers/index.ts'
import { connect } from '../../src/kube/network/index.ts'
import { install } from '../../src/operator/install.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { helmPath } from './programs.ts'
import type { Cluster } from './suite.ts'
import type { Target, Thing } from './target.ts'

export const itemsOf = (ns: string) => `/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}/deployitems`
const targetsOf = (ns: string) => `/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}/targets`

/** A kubeconfig with inline credentials, as the author of an item has to provide it; `user` is added to the user entry. */
export function inlineKubeconfig({ server, ca, token }: Target, user: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    contexts: [{ name: 'main', context: { cluster: 'main', user: 'main' } }],
    clusters: [{ name: 'main', cluster: { server, 'certificate-authority-data': btoa(ca) } }],
    users: [{ name: 'main', user: { token, ...user } }],
  })
}

/** Starts the stock deployers and returns a function that stops them. `onLogLine` receives every log line at any level. */
export function startStockDeployers(
  cluster: Cluster,
  onLogLine?: (line: string) => void,
): Promise<() => Promise<void>> {
  const helm = helmPath === undefined ? {} : { program: helmPath }
  return startDeployers(cluster, (targets) => stockDeployers(targets, { helm }), onLogLine)
}

/** Starts the surface with these deployers, each identified by its own name. */
export async function startDeployers(
  cluster: Cluster,
  deployers: (targets: Targets) => readonly Deployer[],
  onLogLine?: (line: string) => void,
): Promise<() => Promise<void>> {
  const log = onLogLine === undefined ? { level: 'error' as const } : { level: 'debug' as const, write: onLogLine }
  const runtime = createRealRuntime({ log: { format: 'text', ...log } })
  const { client, close } = await connect(runtime, {
    kubeconfig: cluster.target.kubeconfig,
    rateLimit: { qps: 1000, burst: 2000 },
  })
  const ending = new AbortController()
  const surface = deployersSurface({
    targetClients: createTargets,
    deployers: (_, targets) =>
      deployers(targets).map((deployer) => ({ deployer, options: { identity: deployer.name } })),
  })
  await install(client, runtime, [surface], ending.signal)
  const running = await surface.start({ client, runtime, signal: ending.signal })
  await running.ready
  return async () => {
    ending.abort()
    await running.stop()
    await close()
    await runtime.close()
  }
}

export interface ItemStatus {
  readonly phase?: string
  readonly observedGeneration?: number
  readonly lastError?: { readonly codes?: readonly string[]; readonly message: string }
  readonly exportRef?: { readonly name: string }
  readonly providerStatus?: {
    readonly managedResources?: readonly {
      readonly policy: string
      readonly resource: { readonly kind: string; readonly name: string; readonly namespace: string }
    }[]
  }
}

export const statusOf = ({ status }: Thing) => (status ?? {}) as ItemStatus

/** Whether the run of the current generation has ended. */
export const isFinal = (item: Thing) =>
  ['Succeeded', 'Failed'].includes(statusOf(item).phase ?? '') &&
  statusOf(item).observedGeneration === item.metadata.generation

export interface ItemNamespace {
  readonly ns: string
  create(name: string, type: string, config: object, more?: object): Promise<Thing>
  change(name: string, spec: object): Promise<Thing>
  /** The item once its run has ended. */
  finished(name: string): Promise<Thing>
  remove(name: string): Promise<void>
}

/** Creates a namespace with a target that refers to the cluster itself. */
export async function createItemNamespace(
  cluster: Cluster,
  kubeconfig = inlineKubeconfig(cluster.target),
): Promise<ItemNamespace> {
  const ns = await cluster.namespace()
  await cluster.create(targetsOf(ns), {
    apiVersion: 'landscaper.gardener.cloud/v1alpha1',
    kind: 'Target',
    metadata: { name: 'main' },
    spec: { type: 'landscaper.gardener.cloud/kubernetes-cluster', config: { kubeconfig } },
  })
  const path = (name: string) => `${itemsOf(ns)}/${name}`
  return {
    ns,
    create: (name, type, config, more = {}) =>
      cluster.create(itemsOf(ns), {
        apiVersion: 'landscaper.gardener.cloud/v1alpha1',
        kind: 'DeployItem',
        metadata: { name },
        spec: { type: `landscaper.gardener.cloud/${type}`, target: { name: 'main' }, config, ...more },
      }),
    async change(name, spec) {
      const headers = { 'content-type': 'application/merge-patch+json' }
      const { body } = await cluster.call('PATCH', path(name), { headers, body: { spec } })
      return body
    },
    finished: (name) => cluster.until(path(name), isFinal),
    async remove(name) {
      await cluster.call('DELETE', path(name))
      await cluster.untilGone(path(name))
    },
  }
}
