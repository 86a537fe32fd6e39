/**
 * The objects of one binding: what there is, in order, and what happens to them. Follows the kind, the namespaces and the objects; what is
 * done about an event is the engine's business.
 */
import type { DiscoveredResource } from '../../../kube/discovery/catalog.ts'
import type { CacheChange } from '../../../kube/reflector/cache.ts'
import type { KubernetesBinding, WatchEvent } from '../config/types.ts'
import type { Kinds } from './kinds.ts'
import type { Kept } from './projection.ts'
import { followScopes, type Scopes, scopesIn } from './scopes.ts'
import type { Need, Scope, SharedWatch, Watches } from './watches.ts'

/** An object as a binding sees it. */
export interface Seen {
  /** `namespace/name`, or `name`. */
  readonly key: string
  /** JSON text; undefined without a filter. */
  readonly result: string | undefined
  /** JSON text as bytes; undefined when the binding does not keep objects. */
  readonly whole: Uint8Array | undefined
}

export interface ObjectEvent {
  readonly watchEvent: WatchEvent
  readonly seen: Seen
  /** The kind as the cluster writes it. */
  readonly kind: string
}

export interface MonitorListener {
  /** The first complete list is in: from here on every change is told. */
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
  /** Counts changes, so that what was made of the objects can be kept as long as they are the same. */
  changes = 0
  readonly #watches: Watches
  readonly #need: Need
  readonly #parts = new Map<string, Part[]>()
  #listener: MonitorListener | undefined
  #type: DiscoveredResource | undefined
  readonly #unfollow: () => void
  #opened: Promise<void> | undefined
  #scopes: Scopes | undefined
  #areScopesKnown = false
  #isListed = false
  #order: string[] = []
  #isOrdered = true

  /** `isTold`: the hook is told of objects, and not only of their names. */
  constructor(hook: string, binding: KubernetesBinding, isTold: boolean, watches: Watches, kinds: Kinds) {
    this.binding = binding
    this.#watches = watches
    const isWhole = isTold && binding.keepFullObjectsInMemory
    this.#need = { isTold, isWhole, ...(binding.jqFilter === undefined ? {} : { filter: binding.jqFilter }) }
    const { apiVersion, kind, name } = binding
    const wanted = { kind, ...(apiVersion === undefined ? {} : { apiVersion }) }
    this.#unfollow = kinds.follow(wanted, { hook, binding: name }, (type) => this.#follow(type))
  }

  /** Whether objects are kept whole. */
  get keepsObjects(): boolean {
    return this.#need.isWhole
  }

  /** How many objects it sees. */
  get size(): number {
    let size = 0
    for (const parts of this.#parts.values()) for (const { watch } of parts) size += watch.cache.size
    return size
  }

  /** Whether the cluster has the kind. */
  get isServed(): boolean {
    return this.#type !== undefined
  }

  /** Whether a complete list was ever in. */
  get isListed(): boolean {
    return this.#isListed
  }

  /** Resolves when the first list is in, or it is clear that it will take a while: the kind is not served, or the list was refused. */
  async settled(): Promise<void> {
    await this.#opened
    await this.#scopes?.settled
    await Promise.all([...this.#parts.values()].flat().map(({ watch }) => watch.settled))
  }

  /** From now on every change is told; before, objects come and go unnoticed. */
  listen(listener: MonitorListener): void {
    this.#listener = listener
    if (this.#isListed) listener.listed()
  }

  /** Watches nothing any more and tells nobody. */
  close(): void {
    this.#listener = undefined
    this.#unfollow()
    this.#follow(undefined)
  }

  /** What there is, sorted by namespace and name. Objects whose filter never gave anything are not there. */
  *objects(): Iterable<Seen> {
    for (const key of this.#sorted()) {
      for (const part of this.#partsOf(key)) {
        const kept = part.isListed ? part.watch.cache.get(key) : undefined
        if (kept !== undefined && isReadable(kept, part)) yield this.#seen(key, kept, part)
      }
    }
  }

  /** Where an object may be: there may be hundreds of namespaces. */
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
    // Others learn of the kind at the same moment; what they need of the objects must be known before the watch begins.
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
      this.#reorder()
      // Objects of a namespace that came later are new to the hook; those of the first list are told as a whole.
      if (this.#isListed && isReadable(kept, part)) this.#tell('Added', this.#seen(key, kept, part))
    }
    this.#checkListed()
  }

  #checkListed(): void {
    if (this.#isListed || !this.#areScopesKnown) return
    for (const parts of this.#parts.values()) if (!parts.every(({ isListed }) => isListed)) return
    this.#isListed = true
    this.#listener?.listed()
  }

  /** Nothing of the namespace is there any more, as far as the binding is concerned. */
  #leave(namespace: string): void {
    const parts = this.#parts.get(namespace) ?? []
    this.#parts.delete(namespace)
    for (const part of parts) {
      part.unsubscribe()
      if (part.isListed) {
        for (const key of part.watch.cache.keys()) {
          const kept = part.watch.cache.get(key)
          this.#reorder()
          if (kept !== undefined) this.#tell('Deleted', this.#seen(key, kept, part))
        }
      }
      part.watch.close()
    }
    this.#checkListed()
  }

  #change(change: CacheChange<Kept>, part: Part): void {
    const { key } = change
    if (change.type === 'deleted') {
      this.#reorder()
      this.#tell('Deleted', this.#seen(key, change.previous, part))
      return
    }
    const { value } = change
    if (change.type === 'added') this.#reorder()
    else this.changes++
    if (!isReadable(value, part)) return
    const seen = this.#seen(key, value, part)
    if (change.type === 'added' || !isReadable(change.previous, part)) this.#tell('Added', seen)
    // Without a filter every new version counts; the watch tells each version once.
    else if (part.slot === -1 || value.results[part.slot] !== change.previous.results[part.slot])
      this.#tell('Modified', seen)
  }

  #tell(watchEvent: WatchEvent, seen: Seen): void {
    if (!this.#isListed) return
    this.#listener?.event({ watchEvent, seen, kind: this.#type?.kind ?? this.binding.kind })
  }

  #seen(key: string, kept: Kept, { slot }: Part): Seen {
    const result = slot === -1 ? undefined : (kept.results[slot] ?? 'null')
    return { key, result, whole: this.#need.isWhole ? kept.whole : undefined }
  }

  /** Objects came or went. */
  #reorder(): void {
    this.changes++
    this.#isOrdered = false
  }

  #sorted(): readonly string[] {
    if (this.#isOrdered) return this.#order
    const known = new Set(this.#order)
    const there = new Set<string>()
    for (const parts of this.#parts.values())
      for (const { watch, isListed } of parts) if (isListed) for (const key of watch.cache.keys()) there.add(key)
    // In the old order first: sorting what is nearly sorted costs little.
    const kept = this.#order.filter((key) => there.has(key))
    this.#order = [...kept, ...[...there].filter((key) => !known.has(key))].sort(byNamespaceAndName)
    this.#isOrdered = true
    return this.#order
  }
}

function isReadable(kept: Kept, { slot }: Part): boolean {
  return slot === -1 || kept.results[slot] !== undefined
}

function byNamespaceAndName(one: string, other: string): number {
  const [end, otherEnd] = [one.indexOf('/'), other.indexOf('/')]
  const [namespace, otherNamespace] = [one.slice(0, Math.max(0, end)), other.slice(0, Math.max(0, otherEnd))]
  if (namespace !== otherNamespace) return namespace < otherNamespace ? -1 : 1
  const [name, otherName] = [one.slice(end + 1), other.slice(otherEnd + 1)]
  return name < otherName ? -1 : name > otherName ? 1 : 0
}
