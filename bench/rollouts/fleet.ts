/** Deployments with policies in their own namespace, and functions that change them and wait for them. */
import { isNotFound, type KubeObject, resources } from '../../src/kube/index.ts'
import type { RolloutPolicy } from '../../src/rollouts/index.ts'
import { policyLabel } from '../../src/rollouts/labels.ts'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import type { Ledger } from '../../src/rollouts/policy/types.ts'
import type { Deployment } from '../../src/rollouts/policy/workload.ts'
import type { BenchCluster } from './cluster.ts'
import { forEach, untilEach } from './follow.ts'
import { changeTo, deployment, imageOf, policy } from './objects.ts'

const atOnce = 50

export interface FleetOptions {
  readonly namespace: string
  readonly names: readonly string[]
  readonly replicas: number
  /** Empty: Deployments without a policy. */
  readonly hooks: RolloutPolicy['spec']['lifecycleHooks']
}

export class Fleet {
  readonly #cluster: BenchCluster
  readonly #options: FleetOptions
  /** How often each Deployment was changed, its creation included. */
  #revision = 1
  /** The results of the rollouts that ended last. */
  #ledgers: readonly Ledger[] = []

  private constructor(cluster: BenchCluster, options: FleetOptions) {
    this.#cluster = cluster
    this.#options = options
  }

  /** Needs a running operator when there are hooks: resolves in the steady state. */
  static async create(cluster: BenchCluster, options: FleetOptions): Promise<Fleet> {
    const { client } = cluster
    const { namespace, names, replicas, hooks } = options
    const home: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
    await client.of(resources.namespaces).create(home)
    const fleet = new Fleet(cluster, options)
    await forEach(names, atOnce, (name) =>
      client.of<KubeObject>(resources.deployments).create(deployment(namespace, name, replicas)),
    )
    await fleet.rolled()
    if (hooks === undefined) return fleet
    await forEach(names, atOnce, (name) => client.of(policyType).create(policy(namespace, name, hooks)))
    await untilEach<RolloutPolicy>(cluster, { type: policyType, namespace, names, holds: isReady })
    return fleet
  }

  get revision(): number {
    return this.#revision
  }

  /** Changes every image at once; resolves when the server has all changes. */
  async change(): Promise<void> {
    this.#revision += 1
    const { names, namespace } = this.#options
    const handle = this.#cluster.client.of(resources.deployments)
    await forEach(names, atOnce, (name) =>
      handle.patch(name, { type: 'strategic', value: changeTo(this.#revision) }, { namespace }),
    )
  }

  /** Resolves when every rollout since the last change has ended, or after the time given. */
  async completed(withinSeconds?: number): Promise<void> {
    const { namespace, names } = this.#options
    const over = new Set(this.#ledgers.map(({ id }) => id))
    const holds = ({ status }: RolloutPolicy) => {
      const { phase, id = '' } = status?.rollout ?? {}
      return phase === 'Complete' && !over.has(id)
    }
    const wanted = { type: policyType, namespace, names, holds, withinSeconds }
    const policies = await untilEach<RolloutPolicy>(this.#cluster, wanted)
    this.#ledgers = policies.flatMap(({ status }) => status?.rollout ?? [])
  }

  /** Resolves when the Jobs and pods of hooks are removed, or after a minute: their removal is part of the cost of a rollout. */
  async tidied(): Promise<void> {
    const { client, runtime } = this.#cluster
    const where = { namespace: this.#options.namespace, labelSelector: policyLabel }
    const left = () => Promise.all([resources.jobs, resources.pods].map((type) => client.of(type).list(where)))
    for (let looks = 0; looks < 240; looks++) {
      if ((await left()).every(({ items }) => items.length === 0)) return
      await runtime.clock.sleep(250)
    }
  }

  /** The statuses of the policies when their rollouts had ended. */
  ledgers(): readonly Ledger[] {
    return this.#ledgers
  }

  /** Resolves when the native controllers have finished. */
  async rolled(): Promise<void> {
    const { namespace, names, replicas } = this.#options
    const image = imageOf(this.#revision)
    const holds = ({ metadata, spec, status = {} }: Deployment) => {
      const counts = [status.replicas, status.updatedReplicas, status.availableReplicas]
      const isSeen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
      return isSeen && spec.template.spec.containers[0]?.image === image && counts.every((count) => count === replicas)
    }
    await untilEach<Deployment>(this.#cluster, { type: resources.deployments, namespace, names, holds })
  }

  /** Resolves when all its objects are deleted, so that the next measurement is not disturbed. */
  async remove(): Promise<void> {
    const { client, runtime } = this.#cluster
    const namespaces = client.of(resources.namespaces)
    const { namespace } = this.#options
    await namespaces.delete(namespace)
    for (;;) {
      const isGone = await namespaces.get(namespace).then(() => false, isNotFound)
      if (isGone) return
      await runtime.clock.sleep(500)
    }
  }
}

function isReady({ status }: RolloutPolicy): boolean {
  return status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false
}
