/**
 * Clients for targets, one per content of a kubeconfig, shared by all items that use it and dropped when a target says something else. A
 * target that cannot be reached is asked once and then left alone for a while: its items fail at once instead of waiting in line, and
 * those of other targets do not notice.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import type { Connection } from '../../kube/config/connection.ts'
import { type Cluster, connectTo } from '../../kube/connect.ts'
import { ApiError } from '../../kube/errors.ts'
import type { Timer } from '../../runtime/clock.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { sha256Hex } from '../../runtime/sha256.ts'
import type { TargetClients, TargetRequest } from '../library/deployer.ts'
import { configurationProblem, LandscaperError } from '../library/errors.ts'
import { connectionFrom, type KubeconfigSettings } from './kubeconfig.ts'
import { type Access, resolveAccess } from './resolve.ts'

export interface TargetSettings extends KubeconfigSettings {
  /** Targets with `inCluster: true` may use the deployer's own rights. @default false */
  readonly allowInCluster?: boolean
  /** The file with a kubeconfig for that cluster, for programs such as helm. @default the service account of the pod */
  readonly hostKubeconfig?: string
}

/** How a program of its own, such as helm, gets at the target. */
export interface TargetAccess {
  readonly client: KubeClient
  /** Where namespaced objects go that name no namespace. */
  readonly namespace: string
  /** Undefined for the deployer's own cluster when the pod's service account leads to it. */
  readonly kubeconfig: string | undefined
}

export interface Targets extends TargetClients {
  access(request: TargetRequest): Promise<TargetAccess>
}

/** Enough for a deployer at full speed; the server has its own fairness. */
const rateLimit = { qps: 500, burst: 1000 }
/** Milliseconds a target gets for its first answer. */
const patience = 5_000
/** Milliseconds for which an unreachable target is left alone. */
const pause = 15_000
/** Milliseconds for which a target that answered counts as reachable. */
const trust = 30_000
/** Milliseconds after which a client that nobody asked for is let go; longer than any run of helm. */
const idle = 30 * 60_000
/** Milliseconds for which those who still use a dropped client may finish. */
const grace = 120_000

interface Kept {
  readonly cluster: Promise<Cluster>
  probe: Promise<void> | undefined
  /** Monotonic time from which on it is asked again. */
  trusted: number
  /** Monotonic time before which nobody asks again, and what was found. */
  down: { readonly until: number; readonly message: string; readonly cause: unknown } | undefined
  readonly users: Set<string>
  /** Monotonic. */
  lastUsed: number
}

export type Connector = (connection: Connection, runtime: Runtime) => Promise<Cluster>

const overNetwork: Connector = (connection, runtime) => connectTo(connection, runtime, { rateLimit })

export function createTargets(runtime: Runtime, settings: TargetSettings = {}, connector = overNetwork): Targets {
  return new SharedTargets(runtime, settings, connector)
}

class SharedTargets implements Targets {
  readonly #runtime: Runtime
  readonly #settings: TargetSettings
  readonly #connector: Connector
  /** By hash of the kubeconfig, so that no secret is a key. */
  readonly #kept = new Map<string, Kept>()
  /** The hash of what each target or item used last, and where it stood: a kubeconfig is long, and hashing it for every run shows. */
  readonly #current = new Map<string, { readonly version: string | undefined; readonly hash: string }>()
  readonly #retiring = new Map<Timer, Promise<Cluster>>()
  #swept = 0

  constructor(runtime: Runtime, settings: TargetSettings, connector: Connector) {
    this.#runtime = runtime
    this.#settings = settings
    this.#connector = connector
  }

  async clientFor(request: TargetRequest): Promise<KubeClient> {
    return (await this.access(request)).client
  }

  async access(request: TargetRequest): Promise<TargetAccess> {
    const access = await resolveAccess(request)
    if (access.kind === 'host') {
      if (this.#settings.allowInCluster !== true)
        throw configurationProblem(
          'ConnectTarget',
          `${access.name}: spec.config.inCluster would use the rights of the deployer itself and is not allowed here.`,
        )
      const file = this.#settings.hostKubeconfig
      const kubeconfig = file === undefined ? undefined : await this.#runtime.files.readText(file)
      return { client: request.host, namespace: 'default', kubeconfig }
    }
    const kept = this.#keptFor(access)
    await this.#reached(kept, access.name)
    const { client, connection } = await kept.cluster
    return { client, namespace: connection.namespace, kubeconfig: access.text }
  }

  async close(): Promise<void> {
    for (const timer of this.#retiring.keys()) timer.cancel()
    const clusters = [...[...this.#kept.values()].map(({ cluster }) => cluster), ...this.#retiring.values()]
    this.#kept.clear()
    this.#current.clear()
    this.#retiring.clear()
    await Promise.all(clusters.map((cluster) => cluster.then(({ close }) => close()).catch(() => {})))
  }

  #keptFor({ name, text, version }: Access & { readonly kind: 'kubeconfig' }): Kept {
    const before = this.#current.get(name)
    const isSame = version !== undefined && before?.version === version
    const hash = isSame ? before.hash : sha256Hex(text)
    let kept = this.#kept.get(hash)
    if (kept === undefined) {
      const connection = connectionFrom(text, name, this.#runtime, this.#settings)
      kept = {
        cluster: this.#connector(connection, this.#runtime),
        probe: undefined,
        trusted: 0,
        down: undefined,
        users: new Set(),
        lastUsed: 0,
      }
      this.#kept.set(hash, kept)
    }
    kept.users.add(name)
    kept.lastUsed = this.#runtime.clock.monotonic()
    this.#dropIdle(kept.lastUsed)
    this.#current.set(name, { version, hash })
    if (before !== undefined && before.hash !== hash) this.#release(before.hash, name)
    return kept
  }

  #dropIdle(now: number): void {
    if (now < this.#swept + idle / 10) return
    this.#swept = now
    for (const [hash, kept] of this.#kept) {
      if (now - kept.lastUsed < idle) continue
      for (const name of kept.users) this.#current.delete(name)
      this.#retire(hash, kept)
    }
  }

  #release(hash: string, name: string): void {
    const kept = this.#kept.get(hash)
    kept?.users.delete(name)
    if (kept !== undefined && kept.users.size === 0) this.#retire(hash, kept)
  }

  #retire(hash: string, kept: Kept): void {
    this.#kept.delete(hash)
    const timer = this.#runtime.clock.after(grace, () => {
      this.#retiring.delete(timer)
      void kept.cluster.then(({ close }) => close()).catch(() => {})
    })
    this.#retiring.set(timer, kept.cluster)
  }

  async #reached(kept: Kept, name: string): Promise<void> {
    const now = this.#runtime.clock.monotonic()
    const { down, probe } = kept
    if (down !== undefined && now < down.until) throw unreachable(down, down.until - now)
    // One item finds out whether it is back; the others need not stand in line for that.
    if (down !== undefined && probe !== undefined) throw unreachable(down, patience)
    if (now < kept.trusted) return
    kept.probe ??= this.#probe(kept, name).finally(() => {
      kept.probe = undefined
    })
    await kept.probe
  }

  async #probe(kept: Kept, name: string): Promise<void> {
    const { clock } = this.#runtime
    let timer: Timer | undefined
    const late = new Promise<never>((_, reject) => {
      timer = clock.after(patience, () =>
        reject(new CarabinerError('CRB_CONNECTION_FAILED', `no answer within ${patience / 1000} s`)),
      )
    })
    try {
      const { client } = await kept.cluster
      await Promise.race([client.raw('GET', '/version').catch(anyAnswer), late])
      kept.down = undefined
      kept.trusted = clock.monotonic() + trust
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      const down = { until: clock.monotonic() + pause, message: `${name}: ${said}`, cause: error }
      kept.down = down
      throw unreachable(down, pause)
    } finally {
      timer?.cancel()
    }
  }
}

function unreachable({ message, cause }: NonNullable<Kept['down']>, retryAfterMs: number): LandscaperError {
  return new LandscaperError('ConnectTarget', 'TargetUnreachable', message, { cause, retryAfterMs })
}

/** Even a refusal shows that somebody is there. */
function anyAnswer(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}
