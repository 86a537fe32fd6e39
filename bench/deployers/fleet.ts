/** Deploy items in a namespace of their own, a target for them, and the operator with the deployers. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiVersion, type DeployItem, landscaperResources } from '../../src/deployers/resources/types.ts'
import { type KubeObject, resources } from '../../src/kube/index.ts'
import { type Call, isWrite } from '../rollouts/audit.ts'
import { type BenchCluster, operatorUser } from '../rollouts/cluster.ts'
import { forEach, untilEach } from '../rollouts/follow.ts'
import { Operator } from '../rollouts/operator.ts'

const atOnce = 50

export class Fleet {
  readonly #cluster: BenchCluster
  readonly #namespace: string

  private constructor(cluster: BenchCluster, namespace: string) {
    this.#cluster = cluster
    this.#namespace = namespace
  }

  /** Needs a running operator, which installs the definitions. */
  static async in(cluster: BenchCluster, namespace: string): Promise<Fleet> {
    await cluster.client
      .of(resources.namespaces)
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    return new Fleet(cluster, namespace)
  }

  async target(name: string, kubeconfig: string): Promise<void> {
    await this.#cluster.client.of(landscaperResources.targets).create({
      apiVersion,
      kind: 'Target',
      metadata: { name, namespace: this.#namespace },
      spec: { type: 'landscaper.gardener.cloud/kubernetes-cluster', config: { kubeconfig } },
    } as KubeObject)
  }

  async create(names: readonly string[], spec: (name: string, namespace: string) => DeployItem['spec']): Promise<void> {
    const items = this.#cluster.client.of<DeployItem>(landscaperResources.deployItems)
    await forEach(names, atOnce, (name) =>
      items.create({
        apiVersion,
        kind: 'DeployItem',
        metadata: { name, namespace: this.#namespace },
        spec: spec(name, this.#namespace),
      }),
    )
  }

  async annotate(names: readonly string[], annotations: Readonly<Record<string, string>>): Promise<void> {
    const items = this.#cluster.client.of(landscaperResources.deployItems)
    const value = { metadata: { annotations } }
    await forEach(names, atOnce, (name) => items.patch(name, { type: 'merge', value }, { namespace: this.#namespace }))
  }

  async until(names: readonly string[], holds: (item: DeployItem) => boolean): Promise<void> {
    const type = landscaperResources.deployItems
    await untilEach<DeployItem>(this.#cluster, { type, namespace: this.#namespace, names, holds })
  }

  succeeded(names: readonly string[]): Promise<void> {
    return this.until(names, ({ status }) => status?.phase === 'Succeeded')
  }
}

export const namesOf = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

/** The operator with these deployers and nothing else. */
export async function startDeployers(cluster: BenchCluster, deployers: readonly string[]): Promise<Operator> {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
  const file = join(folder, 'deployers.json')
  writeFileSync(file, JSON.stringify({ deployers: deployers.map((name) => ({ name })) }))
  try {
    return await Operator.start(cluster.operatorKubeconfig, ['--install', '--deployers-config', file])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The operator's kubeconfig with all credentials inline: requests to targets appear in the same audit log. */
export function kubeconfigInside(path: string): string {
  const config = JSON.parse(readFileSync(path, 'utf8')) as {
    clusters: { cluster: Record<string, string> }[]
  }
  for (const { cluster } of config.clusters) {
    const { 'certificate-authority': file = '', ...rest } = cluster
    const data = readFileSync(file).toString('base64')
    Object.assign(cluster, rest, { 'certificate-authority-data': data })
    delete cluster['certificate-authority']
  }
  return JSON.stringify(config)
}

export interface Counts {
  /** Writes to anything but the objects that are installed. */
  readonly own: number
  readonly objects: number
  readonly reads: number
  readonly conflicts: number
  /** Number of writes of items by verb and subresource: `update status`. */
  readonly kinds: Readonly<Record<string, number>>
}

export function count(calls: readonly Call[]): Counts {
  const ours = calls.filter(({ user }) => user === operatorUser)
  const writes = ours.filter(isWrite)
  const isObject = ({ resource }: Call) => resource === 'configmaps'
  const kinds: Record<string, number> = {}
  for (const { verb, resource, subresource, code } of writes) {
    const kind = [verb, resource, subresource, code < 300 ? '' : String(code)].join(' ').trim()
    kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  return {
    own: writes.filter((call) => !isObject(call)).length,
    objects: writes.filter(isObject).length,
    reads: ours.filter(({ verb, resource }) => ['get', 'list'].includes(verb) && resource !== 'leases').length,
    conflicts: ours.filter(({ code }) => code === 409).length,
    kinds,
  }
}
