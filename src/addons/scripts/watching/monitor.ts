/** The objects of one binding in order, and their events. Follows the kind, the namespaces and the objects. */
import type { CacheChange, DiscoveredResource } from '../../../kube/index.ts'
import type { KubernetesBinding, WatchEvent } from '../config/types.ts'
import { type KeyBlock, KeyBlocks } from './key-blocks.ts'
import type { Kinds } from './kinds.ts'
import type { KeptObject } from './projection.ts'
import { followScopes, type Scopes, scopesIn } from './scopes.ts'
import type { Scope, SharedWatch, Watches, WatchNeed } from './watches.ts'

/** An object as the binding's hook gets it. */
export interface SeenObject {
  /** `namespace/name`, or `name`. */
  readonly key: string
  /** The filter result as JSON text; undefined without a filter. */
  readonly result: string | undefined
  /** The object as the bytes of JSON text; undefined when the binding does not keep full objects. */
  readonly whole: Uint8Array | undefined
}

export interface ObjectEvent {
  readonly watchEvent: WatchEvent
  readonly seen: SeenObject
  /** The kind as spelled by the cluster. */
  readonly kind: string
}

export interface MonitorListener {
  /** The first list is complete: from now on events follow. */
  listed(): void
  event(event: ObjectEvent): void
}

interface Part {
  readonly watch: SharedWatch
  readonly slot: number
  isListed: boolean
  unsubscribe(): void
}

export class Monitor {
  readonly binding: KubernetesBinding
  readonly #watches: Watches
  readonly #need: WatchNeed
  readonly #parts = new Map<string, Part[]>()
  #listener: MonitorListener | undefined
  #type: DiscoveredResource | undefined
  readonly #unfollow: () => void
  #opened: Promise<void> | undefined
  #scopes: Scopes | undefined
  #areScopesKnown = false
  #isListed = false
  readonly #keys = new KeyBlocks()

  /** `needsObjects`: the hook gets objects, and not only their names. */
  constructor(
    { hook, binding, needsObjects }: { hook: string; binding: KubernetesBinding; needsObjects: boolean },
    watches: Watches,
    kinds: Kinds,
  ) {
    this.binding = binding
    this.#watches = watches
    const isWhole = needsObjects && binding.keepFullObjectsInMemory
    this.#need = {
      needsResult: needsObjects,
      isWhole,
      ...(binding.jqFilter === undefined ? {} : { filter: binding.jqFilter }),
    }
    const { apiVersion, kind, name } = binding
    const requested = { kind, ...(apiVersion === undefined ? {} : { apiVersion }) }
    this.#unfollow = kinds.follow(requested, { hook, binding: name }, (type) => this.#follow(type))
  }

  /** The number of objects. */
  get size(): number {
    let size = 0
    for (const parts of this.#parts.values()) for (const { watch } of parts) size += watch.cache.size
    return size
  }

  /** Whether the cluster serves the kind. */
  get isServed(): boolean {
    return this.#type !== undefined
  }

  /** Whether a complete list has arrived. */
  get isListed(): boolean {
    return this.#isListed
  }

  /** Resolves when the first list has arrived, or is delayed: the kind is not served, or the list failed. */
  async settled(): Promise<void> {
    await this.#opened
    await this.#scopes?.settled
    await Promise.all([...this.#parts.values()].flat().map(({ watch }) => watch.settled))
  }

  /** Starts events; earlier changes cause none. */
  listen(listener: MonitorListener): void {
    this.#listener = listener
    if (this.#isListed) listener.listed()
  }

  /** Ends the watches and events. */
  close(): void {
    this.#listener = undefined
    this.#unfollow()
    this.#follow(undefined)
  }

  /** The keys of the objects sorted by namespace and name. A block with a change is another one. */
  get blocks(): Iterable<KeyBlock> {
    return this.#keys
  }

  /** The objects of a block, without those whose filter never succeeded. */
  *objectsOf({ keys }: KeyBlock): Iterable<SeenObject> {
    for (const key of keys) {
      for (const part of this.#partsOf(key)) {
        const kept = part.isListed ? part.watch.cache.get(key) : undefined
        if (kept !== undefined && isReadable(kept, part)) yield this.#seen(key, kept, part)
      }
    }
  }

  /** The parts that may contain the key, without a search through hundreds of namespaces. */
  #partsOf(key: string): readonly Part[] {
    const end = key.indexOf('/')
    const own = end === -1 ? undefined : this.#parts.get(key.slice(0, end))
    return own ?? this.#parts.get('') ?? []
  }

  #follow(type: DiscoveredResource | undefined): void {
    this.#scopes?.close()
    this.#scopes = undefined
    this.#areScopesKnown = false
    for (const namespace of [...this.#parts.keys()]) this.#leave(namespace)
    this.#type = type
    if (type === undefined) return
    for (const scope of scopesIn(this.binding, type, '')) this.#watches.announce(scope, this.#need)
    // Open the watch later: other bindings are notified of the kind too, and a shared watch must know the needs of all.
    this.#opened = Promise.resolve().then(() => {
      if (this.#type === type) this.#open(type)
    })
  }

  #open(type: DiscoveredResource): void {
    this.#scopes = followScopes(this.binding, type, this.#watches, {
      enter: (namespace, scopes) => this.#enter(namespace, scopes),
      leave: (namespace) => this.#leave(namespace),
      listed: () => {
        this.#areScopesKnown = true
        this.#checkListed()
      },
    })
  }

  #enter(namespace: string, scopes: readonly Scope[]): void {
    const parts = scopes.map((scope): Part => {
      const watch = this.#watches.open(scope, this.#need)
      const { filter } = this.#need
      return { watch, slot: filter === undefined ? -1 : watch.slotOf(filter), isListed: false, unsubscribe() {} }
    })
    this.#parts.set(namespace, parts)
    for (const part of parts) {
      void part.watch.cache.synced.then(() => {
        if (this.#parts.get(namespace) === parts) this.#attach(part)
      })
    }
  }

  #attach(part: Part): void {
    const { cache } = part.watch
    part.isListed = true
    part.unsubscribe = cache.subscribe((change) => this.#change(change, part))
    for (const key of cache.keys()) {
      const kept = cache.get(key)
      if (kept === undefined) continue
      this.#keys.touch(key)
      // Objects of a namespace selected later are Added events; those of the first list are in the Synchronization.
      if (this.#isListed && isReadable(kept, part)) this.#emit('Added', this.#seen(key, kept, part))
    }
    this.#checkListed()
  }

  #checkListed(): void {
    if (this.#isListed || !this.#areScopesKnown) return
    for (const parts of this.#parts.values()) if (!parts.every(({ isListed }) => isListed)) return
    this.#isListed = true
    this.#listener?.listed()
  }

  /** A namespace is no longer selected: its objects are Deleted for the binding. */
  #leave(namespace: string): void {
    const parts = this.#parts.get(namespace) ?? []
    this.#parts.delete(namespace)
    for (const part of parts) {
      part.unsubscribe()
      if (part.isListed) {
        for (const key of part.watch.cache.keys()) {
          const kept = part.watch.cache.get(key)
          this.#keys.remove(key)
          if (kept !== undefined) this.#emit('Deleted', this.#seen(key, kept, part))
        }
      }
      part.watch.close()
    }
    this.#checkListed()
  }

  #change(change: CacheChange<KeptObject>, part: Part): void {
    const { key } = change
    if (change.type === 'deleted') {
      this.#keys.remove(key)
      this.#emit('Deleted', this.#seen(key, change.previous, part))
      return
    }
    const { value } = change
    this.#keys.touch(key)
    if (!isReadable(value, part)) return
    const seen = this.#seen(key, value, part)
    if (change.type === 'added') this.#emit('Added', seen)
    // Without a filter every new resourceVersion is an event; an object whose filter failed until now has no previous result.
    else if (part.slot === -1 || value.results[part.slot] !== change.previous.results[part.slot])
      this.#emit('Modified', seen)
  }

  #emit(watchEvent: WatchEvent, seen: SeenObject): void {
    if (!this.#isListed) return
    this.#listener?.event({ watchEvent, seen, kind: this.#type?.kind ?? this.binding.kind })
  }

  #seen(key: string, kept: KeptObject, { slot }: Part): SeenObject {
    const result = slot === -1 ? undefined : (kept.results[slot] ?? 'null')
    return { key, result, whole: this.#need.isWhole ? kept.whole : undefined }
  }
}

function isReadable(kept: KeptObject, { slot }: Part): boolean {
  return slot === -1 || kept.results[slot] !== undefined
}
