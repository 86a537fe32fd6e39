/**
 * Clients of targets: one per kubeconfig, shared by all items that use it, and closed when no target uses it any more. An unreachable
 * target is probed once and then backed off: its items fail at once, and items of other targets are not delayed.
 */
import { ApiError, type Connection, type KubeClient } from '../../kube/index.ts'
import { type Cluster, connectTo, LargeResponses } from '../../kube/network/index.ts'
import { CarabinerError, type Runtime, sha256Hex, type Timer } from '../../runtime/index.ts'
import type { TargetClients, TargetRequest } from '../library/deployer.ts'
import { configurationProblem, LandscaperError } from '../library/errors.ts'
import { connectionFrom, type KubeconfigSettings } from './kubeconfig.ts'
import { type Access, resolveAccess, type SecretGrant } from './resolve.ts'

export interface TargetSettings extends KubeconfigSettings {
  /** Allows targets with `inCluster: true` to use the deployer's own rights. @default false */
  readonly allowInCluster?: boolean
  /** A kubeconfig file for that cluster, for programs such as helm. @default the service account of the pod */
  readonly hostKubeconfig?: string
  /** Other namespaces whose secrets the Targets of a namespace may refer to. @default none */
  readonly secretNamespaces?: readonly SecretGrant[]
}

/** Access to a target, also for programs such as helm. */
export interface TargetAccess {
  readonly client: KubeClient
  /** The namespace of objects without one. */
  readonly namespace: string
  /** Undefined for the deployer's own cluster, which programs reach with the pod's service account. */
  readonly kubeconfig: string | undefined
}

export interface Targets extends TargetClients {
  access(request: TargetRequest): Promise<TargetAccess>
}

/** High enough not to slow a deployer down; API priority and fairness protects the server. */
const rateLimit = { qps: 500, burst: 1000 }
/** How long a target may take to answer a probe. */
const probeTimeoutMs = 5_000
/** How long an unreachable target is not probed again. */
const unreachableBackoffMs = 15_000
/** How long a target counts as reachable after an answer. */
const reachableForMs = 30_000
/** How long an unused client is kept; longer than any run of helm. */
const idleTimeoutMs = 30 * 60_000
/** How long a dropped client stays open for requests under way. */
const retireGraceMs = 120_000

interface SharedCluster {
  readonly cluster: Promise<Cluster>
  probe: Promise<void> | undefined
  /** The monotonic time of the next probe. */
  reachableUntil: number
  /** The failure of the last probe, and the monotonic time until which it counts. */
  down: { readonly until: number; readonly message: string; readonly cause: unknown } | undefined
  readonly users: Set<string>
  /** Monotonic time. */
  lastUsed: number
}

export type Connector = (connection: Connection, runtime: Runtime) => Promise<Cluster>

/**
 * The authors of items choose the server of a target, so its responses are limited: an object has up to 3 MiB, and a page of a list up to a
 * hundred objects. Large responses of all targets share 128 MiB.
 */
function networkConnector(): Connector {
  const largeResponses = new LargeResponses(128 * 1024 ** 2)
  const limits = { maxBytes: 8 * 1024 ** 2, maxListBytes: 16 * 1024 ** 2, maxMs: 60_000, largeResponses }
  return (connection, runtime) => connectTo(connection, runtime, { rateLimit, limits })
}

export function createTargets(
  runtime: Runtime,
  settings: TargetSettings = {},
  connector = networkConnector(),
): Targets {
  return new SharedTargets(runtime, settings, connector)
}

class SharedTargets implements Targets {
  readonly #runtime: Runtime
  readonly #settings: TargetSettings
  readonly #connector: Connector
  /** By the hash of the kubeconfig, so that no secret is used as a key. */
  readonly #clusters = new Map<string, SharedCluster>()
  /** The kubeconfig hash each target or item used last, with the version of its source, to hash a kubeconfig only when it changes. */
  readonly #current = new Map<string, { readonly version: string | undefined; readonly hash: string }>()
  readonly #retiring = new Map<Timer, Promise<Cluster>>()
  #lastSweep = 0

  constructor(runtime: Runtime, settings: TargetSettings, connector: Connector) {
    this.#runtime = runtime
    this.#settings = settings
    this.#connector = connector
  }

  async clientFor(request: TargetRequest): Promise<KubeClient> {
    return (await this.access(request)).client
  }

  async access(request: TargetRequest): Promise<TargetAccess> {
    const access = await resolveAccess(request, this.#settings.secretNamespaces)
    if (access.kind === 'host') {
      if (this.#settings.allowInCluster !== true)
        throw configurationProblem(
          'ConnectTarget',
          `${access.name}: spec.config.inCluster would use the rights of the deployer itself, which is not allowed.`,
        )
      const file = this.#settings.hostKubeconfig
      const kubeconfig = file === undefined ? undefined : await this.#runtime.files.readText(file)
      return { client: request.host, namespace: 'default', kubeconfig }
    }
    const kept = this.#clusterFor(access)
    await this.#ensureReachable(kept, access.name)
    const { client, connection } = await kept.cluster
    return { client, namespace: connection.namespace, kubeconfig: access.text }
  }

  async close(): Promise<void> {
    for (const timer of this.#retiring.keys()) timer.cancel()
    const clusters = [...[...this.#clusters.values()].map(({ cluster }) => cluster), ...this.#retiring.values()]
    this.#clusters.clear()
    this.#current.clear()
    this.#retiring.clear()
    await Promise.all(clusters.map((cluster) => cluster.then(({ close }) => close()).catch(() => {})))
  }

  #clusterFor({ name, text, version }: Access & { readonly kind: 'kubeconfig' }): SharedCluster {
    const before = this.#current.get(name)
    const isSame = version !== undefined && before?.version === version
    const hash = isSame ? before.hash : sha256Hex(text)
    let kept = this.#clusters.get(hash)
    if (kept === undefined) {
      const connection = connectionFrom(text, name, this.#runtime, this.#settings)
      kept = {
        cluster: this.#connector(connection, this.#runtime),
        probe: undefined,
        reachableUntil: 0,
        down: undefined,
        users: new Set(),
        lastUsed: 0,
      }
      this.#clusters.set(hash, kept)
    }
    kept.users.add(name)
    kept.lastUsed = this.#runtime.clock.monotonic()
    this.#dropIdle(kept.lastUsed)
    this.#current.set(name, { version, hash })
    if (before !== undefined && before.hash !== hash) this.#release(before.hash, name)
    return kept
  }

  #dropIdle(now: number): void {
    if (now < this.#lastSweep + idleTimeoutMs / 10) return
    this.#lastSweep = now
    for (const [hash, kept] of this.#clusters) {
      if (now - kept.lastUsed < idleTimeoutMs) continue
      for (const name of kept.users) this.#current.delete(name)
      this.#retire(hash, kept)
    }
  }

  #release(hash: string, name: string): void {
    const kept = this.#clusters.get(hash)
    kept?.users.delete(name)
    if (kept !== undefined && kept.users.size === 0) this.#retire(hash, kept)
  }

  #retire(hash: string, kept: SharedCluster): void {
    this.#clusters.delete(hash)
    const timer = this.#runtime.clock.after(retireGraceMs, () => {
      this.#retiring.delete(timer)
      void kept.cluster.then(({ close }) => close()).catch(() => {})
    })
    this.#retiring.set(timer, kept.cluster)
  }

  async #ensureReachable(kept: SharedCluster, name: string): Promise<void> {
    const now = this.#runtime.clock.monotonic()
    const { down, probe } = kept
    if (down !== undefined && now < down.until) throw unreachable(down, down.until - now)
    // Only one item waits for the new probe of an unreachable target; the others fail at once.
    if (down !== undefined && probe !== undefined) throw unreachable(down, probeTimeoutMs)
    if (now < kept.reachableUntil) return
    kept.probe ??= this.#probe(kept, name).finally(() => {
      kept.probe = undefined
    })
    await kept.probe
  }

  async #probe(kept: SharedCluster, name: string): Promise<void> {
    const { clock } = this.#runtime
    const stop = new AbortController()
    const { signal } = stop
    const timer = clock.after(probeTimeoutMs, () =>
      stop.abort(new CarabinerError('CRB_CONNECTION_FAILED', `no answer within ${probeTimeoutMs / 1000} s`)),
    )
    const timedOut = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    try {
      const { client } = await kept.cluster
      // The signal ends the request; the race ends the wait also for credentials, which do not have a signal.
      await Promise.race([client.raw('GET', '/version', undefined, signal).catch(ignoreApiErrors), timedOut])
      kept.down = undefined
      kept.reachableUntil = clock.monotonic() + reachableForMs
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const down = { until: clock.monotonic() + unreachableBackoffMs, message: `${name}: ${message}`, cause: error }
      kept.down = down
      throw unreachable(down, unreachableBackoffMs)
    } finally {
      timer.cancel()
    }
  }
}

function unreachable({ message, cause }: NonNullable<SharedCluster['down']>, retryAfterMs: number): LandscaperError {
  return new LandscaperError('ConnectTarget', 'TargetUnreachable', message, { cause, retryAfterMs })
}

/** An error status also shows that the API server is reachable. */
function ignoreApiErrors(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}
