/**
 * Caches the metadata of every deletable object of every kind, and follows kinds as they are added and removed. Kinds
 * cached by other controllers use the shared cache.
 */

import {
  type Cache,
  type CacheChange,
  createReflector,
  type KubeObject,
  type ResourceType,
} from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import type { ControllerContext } from '../loop/controller.ts'
import { metadataOnly } from './graph.ts'

const requiredVerbs = ['list', 'watch', 'delete']

/** The API server needs a moment to serve a new kind after its definition changes. */
const discoveryDelayMs = 1_000

export type Listener = (type: ResourceType, change: CacheChange<KubeObject>) => void

/** Whether kinds without a shared cache are watched as well; with `cached kinds` discovery is not used. */
export type MonitorScope = 'all kinds' | 'cached kinds'

export class ResourceMonitors {
  readonly #context: Pick<ControllerContext, 'client' | 'informers' | 'runtime' | 'shutdown'>
  readonly #listener: Listener
  readonly #definitions: Cache<KubeObject> | undefined
  readonly #kinds = new Map<string, { readonly stop: () => void }>()
  #changes = 0

  /** Must be created before the informers start: caches requested later are never filled. */
  constructor(
    context: Pick<ControllerContext, 'client' | 'informers' | 'runtime' | 'shutdown'>,
    scope: MonitorScope,
    listener: Listener,
  ) {
    this.#context = context
    this.#listener = listener
    this.#definitions = scope === 'all kinds' ? context.informers.of(resources.customResourceDefinitions) : undefined
  }

  /** Watches all kinds and discovers new ones whenever a definition changes, until shutdown. */
  start(): void {
    const { runtime, shutdown, informers } = this.#context
    if (this.#definitions === undefined) {
      for (const type of informers.types) this.#watch(type)
      return
    }
    const refresh = () => {
      const change = ++this.#changes
      runtime.clock.after(discoveryDelayMs, () => {
        if (change === this.#changes && !shutdown.isTriggered) void this.#refresh()
      })
    }
    this.#definitions.subscribe(refresh)
    void this.#refresh()
  }

  async #refresh(): Promise<void> {
    const { client, runtime, shutdown } = this.#context
    try {
      client.discovery.refresh()
      const catalog = await client.discovery.catalog()
      if (shutdown.isTriggered) return
      const served = new Map<string, ResourceType>()
      for (const type of catalog) {
        const name = `${type.resource}.${type.group}`
        // One version per kind is enough; the first one is the preferred version.
        const wanted = type.resource !== 'events' && requiredVerbs.every((verb) => type.verbs.includes(verb))
        if (wanted && !served.has(name)) served.set(name, type)
      }
      for (const [name, { stop }] of this.#kinds) {
        if (served.has(name)) continue
        stop()
        this.#kinds.delete(name)
      }
      for (const [name, type] of served) if (!this.#kinds.has(name)) this.#kinds.set(name, this.#watch(type))
    } catch (error) {
      runtime.log.warn('discovery failed, trying again', { error })
      runtime.clock.after(discoveryDelayMs, () => {
        if (!shutdown.isTriggered) void this.#refresh()
      })
    }
  }

  #watch(type: ResourceType): { readonly stop: () => void } {
    const { client, informers, runtime, shutdown } = this.#context
    const shared = informers.existing(type)
    if (shared !== undefined) return { stop: this.#follow(type, shared) }
    const own = shutdown.newSignal()
    const reflector = createReflector<KubeObject>(client.of(type), runtime, { project: metadataOnly })
    const unfollow = this.#follow(type, reflector.cache)
    void reflector.run(own.signal)
    return {
      stop: () => {
        unfollow()
        own.stop()
      },
    }
  }

  #follow(type: ResourceType, cache: Cache<KubeObject>): () => void {
    const stop = cache.subscribe((change) => this.#listener(type, change))
    for (const key of cache.keys()) {
      const value = cache.get(key)
      if (value !== undefined) this.#listener(type, { type: 'added', key, value })
    }
    return stop
  }
}
