/**
 * Metadata of every object of every kind that can be deleted, kept up to date while kinds come and go. Kinds that other controllers
 * cache anyway are read from their caches.
 */
import type { KubeObject, ResourceType } from '../../../kube/object.ts'
import type { Cache, CacheChange } from '../../../kube/reflector/cache.ts'
import { createReflector } from '../../../kube/reflector/reflector.ts'
import { resources } from '../../../kube/types.ts'
import type { ControllerContext } from '../loop/controller.ts'
import { metadataOnly } from './graph.ts'

const needed = ['list', 'watch', 'delete']

/** After a definition changed, the server takes a moment to serve the kind. */
const settleAfter = 1_000

export type Listener = (type: ResourceType, change: CacheChange<KubeObject>) => void

/** Whether kinds that no other controller caches are watched as well; without them, nobody looks which there are. */
export type Scope = 'all kinds' | 'cached kinds'

export class Census {
  readonly #context: Pick<ControllerContext, 'client' | 'informers' | 'runtime' | 'ending'>
  readonly #listener: Listener
  readonly #definitions: Cache<KubeObject> | undefined
  readonly #kinds = new Map<string, { readonly stop: () => void }>()
  #changes = 0

  /** To be made before the caches run: those asked for later never fill. */
  constructor(
    context: Pick<ControllerContext, 'client' | 'informers' | 'runtime' | 'ending'>,
    scope: Scope,
    listener: Listener,
  ) {
    this.#context = context
    this.#listener = listener
    this.#definitions = scope === 'all kinds' ? context.informers.of(resources.customResourceDefinitions) : undefined
  }

  /** Watches all kinds, and looks for new ones whenever a definition changes, until the end. */
  start(): void {
    const { runtime, ending, informers } = this.#context
    if (this.#definitions === undefined) {
      for (const type of informers.types) this.#watch(type)
      return
    }
    const refresh = () => {
      const change = ++this.#changes
      runtime.clock.after(settleAfter, () => {
        if (change === this.#changes && !ending.reached) void this.#refresh()
      })
    }
    this.#definitions.subscribe(refresh)
    void this.#refresh()
  }

  async #refresh(): Promise<void> {
    const { client, runtime, ending } = this.#context
    try {
      client.discovery.refresh()
      const catalog = await client.discovery.catalog()
      if (ending.reached) return
      const served = new Map<string, ResourceType>()
      for (const type of catalog) {
        const name = `${type.resource}.${type.group}`
        // One version of each kind is enough; the first is the preferred one.
        const wanted = type.resource !== 'events' && needed.every((verb) => type.verbs.includes(verb))
        if (wanted && !served.has(name)) served.set(name, type)
      }
      for (const [name, { stop }] of this.#kinds) {
        if (served.has(name)) continue
        stop()
        this.#kinds.delete(name)
      }
      for (const [name, type] of served) if (!this.#kinds.has(name)) this.#kinds.set(name, this.#watch(type))
    } catch (error) {
      runtime.log.warn('kinds not discovered', { error })
      runtime.clock.after(settleAfter, () => {
        if (!ending.reached) void this.#refresh()
      })
    }
  }

  #watch(type: ResourceType): { readonly stop: () => void } {
    const { client, informers, runtime, ending } = this.#context
    const shared = informers.existing(type)
    if (shared !== undefined) return { stop: this.#follow(type, shared) }
    const party = ending.party()
    const reflector = createReflector<KubeObject>(client.of(type), runtime, { project: metadataOnly })
    const unfollow = this.#follow(type, reflector.cache)
    void reflector.run(party.signal)
    return {
      stop: () => {
        unfollow()
        party.stop()
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
