/**
 * Resolves the kinds of bindings to resources, and follows them: a kind may be served later, disappear and return with its
 * CustomResourceDefinition. Listeners are called on each change.
 */
import { type Catalog, createReflector, type DiscoveredResource, type KubeClient, lookUp } from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import type { Runtime } from '../../../runtime/index.ts'
import { isWatchable, kindHint, type RequestedKind } from './kind-hint.ts'

/** Called with undefined while the cluster does not serve the kind. */
export type KindListener = (type: DiscoveredResource | undefined) => void

/** The binding that uses the kind, for the log. */
export interface KindUser {
  readonly hook: string
  readonly binding: string
}

interface FollowedKind {
  readonly requested: RequestedKind
  readonly user: KindUser
  readonly listener: KindListener
  type: DiscoveredResource | undefined
  isNotified: boolean
}

/** When to read discovery after a change of a CustomResourceDefinition, because the API server updates it with a delay. */
const discoveryDelaysMs = [0, 1000, 3000, 10_000]

/** How often discovery is read for missing kinds without a visible CustomResourceDefinition, such as those of aggregated APIs. */
const discoveryIntervalMs = 30_000

export class Kinds {
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #signal: AbortSignal
  readonly #followers = new Set<FollowedKind>()
  #definitions: Promise<void> | undefined
  #isPolling = false
  /** The remaining `discoveryDelaysMs`. */
  #dueDelays: number[] = []

  constructor(client: KubeClient, runtime: Runtime, signal: AbortSignal) {
    this.#client = client
    this.#runtime = runtime
    this.#signal = signal
  }

  /** Calls `listener` after `start` and then on every change, until the returned function is called. */
  follow(requested: RequestedKind, user: KindUser, listener: KindListener): () => void {
    const follower = { requested, user, listener, type: undefined, isNotified: false }
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** Resolves all kinds, with retries until the API server answers; to be called again after new followers. */
  async start(): Promise<void> {
    for (let failures = 0; !this.#signal.aborted; failures++) {
      if (await this.#discover()) break
      await this.#sleep(Math.min(discoveryIntervalMs, 1000 * 2 ** failures))
    }
    const types = Array.from(this.#followers, ({ type }) => type)
    if (types.some((type) => type === undefined || !isBuiltIn(type))) this.#watchDefinitions()
    if (types.includes(undefined)) void this.#poll()
  }

  async stop(): Promise<void> {
    await this.#definitions
  }

  /** False when the API server did not answer. */
  async #discover(): Promise<boolean> {
    let catalog: Catalog
    try {
      catalog = await this.#client.discovery.catalog()
    } catch (error) {
      // On a stop the connection is closed too.
      if (this.#signal.aborted) return false
      this.#runtime.log.warn('cannot read the API discovery of the cluster: retrying', { error })
      return false
    }
    for (const follower of this.#followers) {
      const type = find(catalog, follower.requested)
      if (follower.isNotified && isSame(type, follower.type)) continue
      const { requested, user } = follower
      const hint = type === undefined ? kindHint(catalog, requested) : undefined
      const fields = { ...requested, ...user, ...(hint === undefined ? {} : { hint }) }
      const { log } = this.#runtime
      if (type === undefined) log.warn('the cluster does not serve this kind: the binding starts later', fields)
      else if (follower.isNotified) log.info('the cluster serves the kind now: the binding starts', fields)
      follower.isNotified = true
      follower.type = type
      follower.listener(type)
    }
    return true
  }

  #watchDefinitions(): void {
    if (this.#definitions !== undefined) return
    const reflector = createReflector(this.#client.of(resources.customResourceDefinitions), this.#runtime, {
      // Only the change matters, so the cache keeps nothing of the definition.
      project: () => 0,
    })
    void reflector.cache.synced.then(() => reflector.cache.subscribe(() => void this.#discoverSoon()))
    this.#definitions = reflector.run(this.#signal)
  }

  async #discoverSoon(): Promise<void> {
    const isRunning = this.#dueDelays.length > 0
    this.#dueDelays = [...discoveryDelaysMs]
    if (isRunning) return
    for (let delay = this.#dueDelays[0]; delay !== undefined && !this.#signal.aborted; delay = this.#dueDelays[0]) {
      await this.#sleep(delay)
      if (this.#signal.aborted) return
      this.#dueDelays.shift()
      this.#client.discovery.refresh()
      await this.#discover()
    }
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    while (!this.#signal.aborted) {
      await this.#sleep(discoveryIntervalMs)
      if (this.#signal.aborted || [...this.#followers].every(({ type }) => type !== undefined)) continue
      this.#client.discovery.refresh()
      await this.#discover()
    }
  }

  #sleep(delay: number): Promise<void> {
    return this.#runtime.clock.sleep(delay, this.#signal).catch(() => undefined)
  }
}

function find(catalog: Catalog, { apiVersion, kind }: RequestedKind): DiscoveredResource | undefined {
  const watchable = catalog.filter(isWatchable)
  if (apiVersion === undefined) return lookUp(watchable, kind)
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return lookUp(watchable, `${kind}.${version}.${group}`)
}

function isSame(one: DiscoveredResource | undefined, other: DiscoveredResource | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.group === other.group && one.version === other.version && one.resource === other.resource
}

/** Built-in groups with the suffix `k8s.io`; other groups with this suffix are custom resources. */
const builtIn = new Set([
  ...['admissionregistration', 'apiextensions', 'apiregistration', 'authentication', 'authorization', 'certificates'],
  ...['coordination', 'discovery', 'events', 'flowcontrol.apiserver', 'networking', 'node', 'rbac.authorization'],
  ...['resource', 'scheduling', 'storage'],
])

function isBuiltIn({ group }: DiscoveredResource): boolean {
  return !group.includes('.') || (group.endsWith('.k8s.io') && builtIn.has(group.slice(0, -'.k8s.io'.length)))
}
