/**
 * Runs one pod like a node: prepares its volumes, runs its containers as real processes and reports their exit. There
 * are no images and no mounts: mount paths are replaced by folders.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pollUntil } from './poll-until.ts'
import type { Cluster } from './suite.ts'
import type { Thing } from './target.ts'
import { conditionOf } from './workloads.ts'

interface Item {
  readonly key: string
  readonly path: string
}

interface Source {
  readonly secret?: { readonly name: string; readonly items: readonly Item[] }
  readonly configMap?: { readonly name: string; readonly items: readonly Item[] }
  readonly serviceAccountToken?: { readonly path: string }
}

interface Volume {
  readonly name: string
  readonly secret?: { readonly secretName: string; readonly items: readonly Item[] }
  readonly projected?: { readonly sources: readonly Source[] }
}

interface Container {
  readonly name: string
  readonly image: string
  readonly command: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}

interface PodSpec {
  readonly serviceAccountName: string
  readonly initContainers: readonly Container[]
  readonly containers: readonly Container[]
  readonly volumes: readonly Volume[]
}

const tokenPlace = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Cordons all nodes; returns a function that uncordons them. */
export async function cordonAll(cluster: Cluster): Promise<() => Promise<void>> {
  const headers = { 'content-type': 'application/merge-patch+json' }
  const set = async (unschedulable: boolean) => {
    for (const { metadata } of (await cluster.call('GET', '/api/v1/nodes')).body.items)
      await cluster.call('PATCH', `/api/v1/nodes/${metadata.name}`, { headers, body: { spec: { unschedulable } } })
  }
  await set(true)
  await untilNoneIsPlaced(cluster)
  return () => set(false)
}

/** The scheduler observes it with a delay and may schedule pods until then. */
async function untilNoneIsPlaced(cluster: Cluster): Promise<void> {
  const ns = await cluster.namespace()
  const pods = `/api/v1/namespaces/${ns}/pods`
  await pollUntil(
    'an unschedulable pod',
    async (turn) => {
      const name = `probe-${turn}`
      await cluster.create(pods, {
        metadata: { name },
        spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
      })
      return cluster.until(`${pods}/${name}`, (pod) => conditionOf(pod, 'PodScheduled') !== undefined)
    },
    (pod) => conditionOf(pod, 'PodScheduled')?.status === 'False',
  )
  await cluster.call('DELETE', `/api/v1/namespaces/${ns}`)
}

export class ManualPod {
  readonly #cluster: Cluster
  readonly #pod: Thing
  readonly #spec: PodSpec
  /** The folder of the pod. */
  readonly #root: string
  readonly #bin: string
  readonly #states = new Map<string, object>()

  /** `bin` contains the programs that images would provide. */
  constructor(cluster: Cluster, pod: Thing, root: string, bin: string) {
    this.#cluster = cluster
    this.#pod = pod
    this.#spec = pod.spec as unknown as PodSpec
    this.#root = root
    this.#bin = bin
  }

  /** Runs the pod to completion; returns the exit codes by container. */
  async run(): Promise<Readonly<Record<string, number>>> {
    const { name } = this.#pod.metadata
    await this.#cluster.create(`${this.#path()}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { kind: 'Node', name: 'by-hand' },
    })
    for (const volume of this.#spec.volumes) await this.#layOut(volume)
    const codes: Record<string, number> = {}
    for (const container of this.#spec.initContainers) codes[container.name] = await this.#start(container)
    if (Object.values(codes).some((code) => code !== 0)) {
      await this.#tell('Failed')
      return codes
    }
    await this.#tell('Running')
    await Promise.all(
      this.#spec.containers.map(async (container) => {
        codes[container.name] = await this.#start(container)
        await this.#tell('Running')
      }),
    )
    await this.#tell(Object.values(codes).every((code) => code === 0) ? 'Succeeded' : 'Failed')
    return codes
  }

  #path(): string {
    const { namespace, name } = this.#pod.metadata
    return `/api/v1/namespaces/${namespace}/pods/${name}`
  }

  async #layOut({ name, secret, projected }: Volume): Promise<void> {
    mkdirSync(join(this.#root, name), { recursive: true })
    if (secret !== undefined) await this.#files(name, 'secrets', secret.secretName, secret.items)
    for (const source of projected?.sources ?? []) {
      if (source.secret !== undefined) await this.#files(name, 'secrets', source.secret.name, source.secret.items)
      if (source.configMap !== undefined)
        await this.#files(name, 'configmaps', source.configMap.name, source.configMap.items)
      if (source.serviceAccountToken !== undefined)
        this.#write(name, source.serviceAccountToken.path, Buffer.from(await this.#token()))
    }
  }

  async #files(volume: string, resource: 'secrets' | 'configmaps', name: string, items: readonly Item[]) {
    const { namespace } = this.#pod.metadata
    const { data = {} } = (await this.#cluster.call('GET', `/api/v1/namespaces/${namespace}/${resource}/${name}`)).body
    for (const { key, path } of items)
      this.#write(volume, path, Buffer.from(data[key] ?? '', resource === 'secrets' ? 'base64' : 'utf8'))
  }

  #write(volume: string, path: string, content: Buffer): void {
    const file = join(this.#root, volume, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }

  async #token(): Promise<string> {
    const { namespace } = this.#pod.metadata
    const { status } = await this.#cluster.create(
      `/api/v1/namespaces/${namespace}/serviceaccounts/${this.#spec.serviceAccountName}/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    )
    return (status as { token: string }).token
  }

  async #start(container: Container): Promise<number> {
    const mounts = [...container.volumeMounts].sort((a, b) => b.mountPath.length - a.mountPath.length)
    const placed = (text: string) =>
      mounts.reduce((all, { name, mountPath }) => all.replaceAll(mountPath, join(this.#root, name)), text)
    const env: Record<string, string> = { PATH: `${this.#bin}:/usr/bin:/bin`, HOME: this.#root }
    for (const { name, value } of container.env) env[name] = placed(value)
    // Programs in a pod find the API server through the token path.
    const token = mounts.find(({ mountPath }) => mountPath === tokenPlace)
    if (token !== undefined) env['KUBECONFIG'] = this.#kubeconfig(join(this.#root, token.name))
    const [command = '', ...args] = container.command.map(placed)
    this.#states.set(container.name, { running: { startedAt: this.#pod.metadata.creationTimestamp } })
    const child = spawn(command, args, { env, cwd: this.#root, stdio: ['ignore', 'inherit', 'inherit'] })
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (exit) => resolve(exit ?? 137))
    })
    this.#states.set(container.name, { terminated: { exitCode: code, reason: code === 0 ? 'Completed' : 'Error' } })
    return code
  }

  #kubeconfig(folder: string): string {
    const path = join(this.#root, 'kubeconfig')
    const { server } = this.#cluster.target
    const { namespace } = this.#pod.metadata
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'pod',
      contexts: [{ name: 'pod', context: { cluster: 'pod', user: 'pod', namespace } }],
      clusters: [{ name: 'pod', cluster: { server, 'certificate-authority-data': btoa(this.#cluster.target.ca) } }],
      users: [{ name: 'pod', user: { tokenFile: join(folder, 'token') } }],
    }
    writeFileSync(path, JSON.stringify(config))
    return path
  }

  async #tell(phase: string): Promise<void> {
    const shown = (containers: readonly Container[]) =>
      containers.map(({ name, image }) => {
        const state = this.#states.get(name) ?? { waiting: { reason: 'PodInitializing' } }
        return { name, image, imageID: image, ready: false, restartCount: 0, state }
      })
    const { initContainers, containers } = this.#spec
    const status = {
      phase,
      initContainerStatuses: shown(initContainers),
      containerStatuses: shown(containers),
    }
    const headers = { 'content-type': 'application/merge-patch+json' }
    const { body, status: code } = await this.#cluster.call('PATCH', `${this.#path()}/status`, {
      headers,
      body: { status },
    })
    if (code !== 200) throw new Error(`status of ${this.#pod.metadata.name}: ${body.message}`)
  }
}
