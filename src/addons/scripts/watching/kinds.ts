/**
 * Which resource a binding's `kind` means, now and later: one that the cluster does not serve yet may come with a CustomResourceDefinition,
 * go with it, and come back. Whoever asks is told each time, and nobody else waits.
 */
import type { KubeClient } from '../../../kube/client/client.ts'
import type { Catalog, DiscoveredResource } from '../../../kube/discovery/catalog.ts'
import { lookUp } from '../../../kube/discovery/lookup.ts'
import { resources } from '../../../kube/kinds/index.ts'
import { createReflector } from '../../../kube/reflector/reflector.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { isWatchable, kindHint, type WantedKind } from './kind-hint.ts'

/** Told undefined while the cluster serves nothing of that name. */
export type KindListener = (type: DiscoveredResource | undefined) => void

/** Who waits for it, for the log. */
export interface Asker {
  readonly hook: string
  readonly binding: string
}

interface Follower {
  readonly wanted: WantedKind
  readonly asker: Asker
  readonly tell: KindListener
  type: DiscoveredResource | undefined
  told: boolean
}

/** Milliseconds after a change of a definition at which the server is asked what it serves: its own tables follow with a delay. */
const looks = [0, 1000, 3000, 10_000]

/** Milliseconds between two looks for a kind that no definition may announce: aggregated APIs, or definitions we may not see. */
const patience = 30_000

export class Kinds {
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #signal: AbortSignal
  readonly #followers = new Set<Follower>()
  #definitions: Promise<void> | undefined
  #isLooking = false
  /** What is left of `looks`. */
  #due: number[] = []

  constructor(client: KubeClient, runtime: Runtime, signal: AbortSignal) {
    this.#client = client
    this.#runtime = runtime
    this.#signal = signal
  }

  /** Tells as soon as `start` has found out, and then at every change, until what is returned is called. */
  follow(wanted: WantedKind, asker: Asker, tell: KindListener): () => void {
    const follower = { wanted, asker, tell, type: undefined, told: false }
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** Finds all kinds out; resolves when every follower has been told once. Tries until the server answers. To be called again after new ones came. */
  async start(): Promise<void> {
    for (let failures = 0; !this.#signal.aborted; failures++) {
      if (await this.#look()) break
      await this.#sleep(Math.min(patience, 1000 * 2 ** failures))
    }
    const types = Array.from(this.#followers, ({ type }) => type)
    if (types.some((type) => type === undefined || !isBuiltIn(type))) this.#watchDefinitions()
    if (types.includes(undefined)) void this.#lookAgain()
  }

  async stop(): Promise<void> {
    await this.#definitions
  }

  /** Whether the server answered. */
  async #look(): Promise<boolean> {
    let catalog: Catalog
    try {
      catalog = await this.#client.discovery.catalog()
    } catch (error) {
      // Whoever stops closes the way to the server as well.
      if (this.#signal.aborted) return false
      this.#runtime.log.warn('the cluster does not tell what it serves; asking again', { error })
      return false
    }
    for (const follower of this.#followers) {
      const type = find(catalog, follower.wanted)
      if (follower.told && isSame(type, follower.type)) continue
      const { wanted, asker } = follower
      const hint = type === undefined ? kindHint(catalog, wanted) : undefined
      const told = { ...wanted, ...asker, ...(hint === undefined ? {} : { hint }) }
      if (type === undefined) this.#runtime.log.warn('the cluster serves no such kind; the binding waits for it', told)
      else if (follower.told) this.#runtime.log.info('the cluster serves the kind now; the binding begins', told)
      follower.told = true
      follower.type = type
      follower.tell(type)
    }
    return true
  }

  #watchDefinitions(): void {
    if (this.#definitions !== undefined) return
    const reflector = createReflector(this.#client.of(resources.customResourceDefinitions), this.#runtime, {
      // A definition is large, and only that it changed matters here.
      project: () => 0,
    })
    void reflector.cache.synced.then(() => reflector.cache.subscribe(() => void this.#lookSoon()))
    this.#definitions = reflector.run(this.#signal)
  }

  async #lookSoon(): Promise<void> {
    const isLooking = this.#due.length > 0
    this.#due = [...looks]
    if (isLooking) return
    for (let delay = this.#due[0]; delay !== undefined && !this.#signal.aborted; delay = this.#due[0]) {
      await this.#sleep(delay)
      if (this.#signal.aborted) return
      this.#due.shift()
      this.#client.discovery.refresh()
      await this.#look()
    }
  }

  async #lookAgain(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    while (!this.#signal.aborted) {
      await this.#sleep(patience)
      if (this.#signal.aborted || [...this.#followers].every(({ type }) => type !== undefined)) continue
      this.#client.discovery.refresh()
      await this.#look()
    }
  }

  #sleep(delay: number): Promise<void> {
    return this.#runtime.clock.sleep(delay, this.#signal).catch(() => undefined)
  }
}

function find(catalog: Catalog, { apiVersion, kind }: WantedKind): DiscoveredResource | undefined {
  const watchable = catalog.filter(isWatchable)
  if (apiVersion === undefined) return lookUp(watchable, kind)
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return lookUp(watchable, `${kind}.${version}.${group}`)
}

function isSame(one: DiscoveredResource | undefined, other: DiscoveredResource | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.group === other.group && one.version === other.version && one.resource === other.resource
}

/** Groups below `k8s.io` that come with the server; others there are custom resources too. */
const builtIn = new Set([
  ...['admissionregistration', 'apiextensions', 'apiregistration', 'authentication', 'authorization', 'certificates'],
  ...['coordination', 'discovery', 'events', 'flowcontrol.apiserver', 'networking', 'node', 'rbac.authorization'],
  ...['resource', 'scheduling', 'storage'],
])

function isBuiltIn({ group }: DiscoveredResource): boolean {
  return !group.includes('.') || (group.endsWith('.k8s.io') && builtIn.has(group.slice(0, -'.k8s.io'.length)))
}
