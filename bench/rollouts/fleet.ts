/** Deployments with policies in a namespace of their own, and the ways to change and await them. */
import { type KubeObject, resources } from '../../src/kube/index.ts'
import { policyType } from '../../src/rollouts/engine/caches.ts'
import type { RolloutPolicy } from '../../src/rollouts/index.ts'
import type { Ledger } from '../../src/rollouts/policy/types.ts'
import type { Deployment } from '../../src/rollouts/policy/workload.ts'
import type { BenchCluster } from './cluster.ts'
import { type Following, follow, forEach } from './follow.ts'
import { changeTo, deployment, policy } from './objects.ts'

const atOnce = 50

export interface FleetOptions {
  readonly namespace: string
  readonly names: readonly string[]
  readonly replicas: number
  /** None: Deployments without a policy. */
  readonly hooks: RolloutPolicy['spec']['lifecycleHooks']
}

export class Fleet {
  readonly #cluster: BenchCluster
  readonly #options: FleetOptions
  readonly #policies: Following<RolloutPolicy>
  readonly #deployments: Following<Deployment>
  /** How often each Deployment was changed, its creation included. */
  #revision = 1
  /** Rollouts that had come to their end before the last change. */
  #over: ReadonlySet<string> = new Set()

  private constructor(
    cluster: BenchCluster,
    options: FleetOptions,
    policies: Following<RolloutPolicy>,
    deployments: Following<Deployment>,
  ) {
    this.#cluster = cluster
    this.#options = options
    this.#policies = policies
    this.#deployments = deployments
  }

  /** Needs a running operator when there are hooks: resolves when everything is at rest. */
  static async create(cluster: BenchCluster, options: FleetOptions): Promise<Fleet> {
    const { client, runtime } = cluster
    const { namespace, names, replicas, hooks } = options
    const home: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
    await client.of(resources.namespaces).create(home)
    const policies = await follow<RolloutPolicy>(client, runtime, policyType, namespace)
    const deployments = await follow<Deployment>(client, runtime, resources.deployments, namespace)
    const fleet = new Fleet(cluster, options, policies, deployments)
    await forEach(names, atOnce, (name) =>
      client.of(resources.deployments).create(deployment(namespace, name, replicas)),
    )
    await fleet.rolled()
    if (hooks === undefined) return fleet
    await forEach(names, atOnce, (name) => client.of(policyType).create(policy(namespace, name, hooks)))
    await policies.until(names, ({ status }) => isReady(status))
    return fleet
  }

  get revision(): number {
    return this.#revision
  }

  /** Changes every image at once; resolves when the server has all changes. */
  async change(): Promise<void> {
    this.#revision += 1
    this.#over = new Set(this.ledgers().map(({ id }) => id))
    const { names, namespace } = this.#options
    const handle = this.#cluster.client.of(resources.deployments)
    await forEach(names, atOnce, (name) =>
      handle.patch(name, { type: 'strategic', value: changeTo(name, this.#revision) }, { namespace }),
    )
  }

  /** Every rollout since the last change has come to its end. */
  completed(): Promise<void> {
    return this.#policies.until(this.#options.names, ({ status }) => {
      const { phase, id = '' } = status?.rollout ?? {}
      return phase === 'Complete' && !this.#over.has(id)
    })
  }

  /** What the policies remember of their last rollouts. */
  ledgers(): readonly Ledger[] {
    return this.#policies.all().flatMap(({ status }) => status?.rollout ?? [])
  }

  /** The native controllers are done. */
  rolled(): Promise<void> {
    const { names, replicas } = this.#options
    const image = `example/web:${this.#revision}`
    return this.#deployments.until(names, ({ metadata, spec, status = {} }) => {
      const counts = [status.replicas, status.updatedReplicas, status.availableReplicas]
      const isSeen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
      return isSeen && spec.template.spec.containers[0]?.image === image && counts.every((count) => count === replicas)
    })
  }

  async remove(): Promise<void> {
    await this.#policies.stop()
    await this.#deployments.stop()
    await this.#cluster.client.of(resources.namespaces).delete(this.#options.namespace)
  }
}

function isReady(status: RolloutPolicy['status']): boolean {
  return status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false
}
