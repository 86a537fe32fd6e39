/**
 * Keeps a cache equal to the server: performs what the state machine says (list, swap, watch, ask, wait) and feeds it what came of it.
 * Knows the API only through `ResourceClient`; decides nothing about retries or relists itself.
 */
import type { Runtime } from '../../runtime/runtime.ts'
import type { ResourceClient, WatchEvent } from '../client/client.ts'
import { Exchange } from '../exchange.ts'
import { type KubeObject, keyOf } from '../object.ts'
import { watchBackoff } from './backoff.ts'
import type { Cache, CacheChange, Reflector, ReflectorOptions } from './cache.ts'
import { Complaints } from './complaints.ts'
import { type Failure, failureOfError, failureOfStatus } from './failure.ts'
import { type ReflectorMetrics, reflectorMetrics } from './metrics.ts'
import { withoutManagedFields } from './project.ts'
import { initial, type Outcome, type State, step } from './state.ts'
import { type Entry, type Listing, Store } from './store.ts'
import { isBefore } from './version.ts'

/** Milliseconds of silence after which a watch counts as dead: three of the bookmarks that a server sends about every minute. */
const watchSilence = 180_000

/** Milliseconds after which a page counts as lost: API servers give up on a request after one minute themselves. */
const pageSilence = 90_000

/** Milliseconds after which a watch was a good one even if nothing happened. */
const healthyWatch = 30_000

/** Changes told in one go before other work gets its turn. */
const tellAtOnce = 1_000

export function createReflector<T, O extends KubeObject = KubeObject>(
  client: ResourceClient<O>,
  runtime: Runtime,
  options: ReflectorOptions<T, O> & { readonly project: (object: O) => T },
): Reflector<T>
export function createReflector<O extends KubeObject>(
  client: ResourceClient<O>,
  runtime: Runtime,
  options?: Omit<ReflectorOptions<O, O>, 'project'>,
): Reflector<O>
export function createReflector(
  client: ResourceClient,
  runtime: Runtime,
  options: ReflectorOptions<unknown> = {},
): Reflector<unknown> {
  return new ClientReflector(client, runtime, options)
}

class ClientReflector<T> implements Reflector<T> {
  readonly #client: ResourceClient
  readonly #runtime: Runtime
  readonly #options: ReflectorOptions<T>
  readonly #project: (object: KubeObject) => T
  readonly #store: Store<T>
  readonly #metrics: ReflectorMetrics
  readonly #scope: Pick<ReflectorOptions<T>, 'namespace' | 'labelSelector' | 'fieldSelector'>
  readonly #log: Runtime['log']
  readonly #complaints: Complaints
  #listing: Listing<T>

  constructor(client: ResourceClient, runtime: Runtime, options: ReflectorOptions<T>) {
    const { resource, group } = client.type
    const name = group ? `${resource}.${group}` : resource
    this.#client = client
    this.#runtime = runtime
    this.#options = options
    // Without a projection the public signature makes T the client's own object type.
    this.#project = options.project ?? (withoutManagedFields as (object: KubeObject) => T)
    this.#log = runtime.log.with({ resource: name })
    this.#complaints = new Complaints(this.#log, runtime.clock)
    this.#store = new Store(this.#log, options.indexes, options.isSame)
    this.#listing = this.#store.begin(false)
    this.#metrics = reflectorMetrics(runtime.metrics, name)
    this.#scope = {
      ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
      ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
      ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
    }
  }

  get cache(): Cache<T> {
    return this.#store
  }

  async run(until: AbortSignal): Promise<void> {
    // A signal of its own: dozens of reflectors share one, and everyone who waits listens.
    const signal = AbortSignal.any([until])
    let state = initial
    while (!signal.aborted) {
      const outcome = await this.#perform(state, signal)
      if (signal.aborted) return
      if (outcome.kind === 'failed') this.#report(state, outcome)
      else this.#complaints.succeeded(state.kind)
      state = step(state, outcome, watchBackoff, this.#runtime.random.next())
    }
  }

  async #perform(state: State, signal: AbortSignal): Promise<Outcome> {
    try {
      switch (state.kind) {
        case 'empty':
          this.#listing = this.#store.begin(state.rewound)
          this.#metrics.list()
          return { kind: 'done' }
        case 'paging':
          return await this.#page(state, signal)
        case 'listed':
          await this.#swap(signal)
          return { kind: 'done' }
        case 'watching':
          return await this.#watch(state.version, signal)
        case 'doubting':
          return await this.#ask(state.version, signal)
        case 'waiting':
          await this.#runtime.clock.sleep(state.delay, signal)
          return { kind: 'done' }
      }
    } catch (error) {
      return { kind: 'failed', failure: failureOfError(error) }
    }
  }

  async #page(state: State & { readonly kind: 'paging' }, signal: AbortSignal): Promise<Outcome> {
    const page = {
      ...(state.whole ? {} : { limit: this.#options.pageSize ?? 500 }),
      ...(state.token === undefined ? {} : { continue: state.token }),
    }
    const list = await this.#list(signal, page, (object) => ({ key: keyOf(object), entry: this.#entryOf(object) }))
    for (const { key, entry } of list.items) if (entry !== undefined) this.#listing.add(key, entry)
    return { kind: 'page', token: list.metadata.continue || undefined, version: list.metadata.resourceVersion ?? '' }
  }

  async #list<V>(signal: AbortSignal, page: { limit?: number; continue?: string }, keep: (object: KubeObject) => V) {
    const exchange = new Exchange(this.#runtime.clock, signal, pageSilence)
    try {
      const options = { ...this.#scope, ...page, omitManagedFields: true, signal: exchange.signal }
      return await this.#client.gather(keep, options)
    } finally {
      exchange.hangUp()
    }
  }

  async #swap(signal: AbortSignal): Promise<void> {
    const changes = this.#store.swap(this.#listing)
    // The list that was taken over still knows the one before it.
    this.#listing = this.#store.begin(false)
    let told = 0
    for (const change of changes) {
      this.#store.tell(change)
      if (++told % tellAtOnce === 0 && !signal.aborted) await this.#runtime.clock.sleep(0)
    }
    this.#store.markSynced()
  }

  async #watch(from: string, signal: AbortSignal): Promise<Outcome> {
    const exchange = new Exchange(this.#runtime.clock, signal, watchSilence)
    const opened = this.#runtime.clock.monotonic()
    let version = from
    let events = 0
    const lasted = () => this.#runtime.clock.monotonic() - opened >= healthyWatch
    const failed = (failure: Failure): Outcome => {
      const progressed = version !== from || lasted()
      return { kind: 'failed', failure, version, progressed }
    }
    try {
      for await (const event of this.#openWatch(from, exchange.signal)) {
        exchange.hear()
        events++
        if (event.type === 'ERROR') {
          exchange.hangUp()
          return failed(failureOfStatus(event.object))
        }
        const reached = event.object.metadata.resourceVersion ?? ''
        if (isBefore(reached, from)) {
          exchange.hangUp()
          return failed({ kind: 'rewound' })
        }
        this.#take(event)
        if (reached !== '') version = reached
      }
      return { kind: 'ended', version, progressed: events > 0 || lasted() }
    } catch (error) {
      return failed(exchange.silent ? { kind: 'silent' } : failureOfError(error))
    } finally {
      exchange.hangUp()
      this.#metrics.events(events)
    }
  }

  #openWatch(from: string, signal: AbortSignal): AsyncIterable<WatchEvent> {
    this.#metrics.watch()
    return this.#client.watch({
      ...this.#scope,
      resourceVersion: from,
      allowBookmarks: true,
      omitManagedFields: true,
      // Different for every watch, so that those opened together do not end together.
      timeoutSeconds: 300 + Math.floor(this.#runtime.random.next() * 300),
      signal,
    })
  }

  /** One object is enough to learn the server's newest version. */
  async #ask(version: string, signal: AbortSignal): Promise<Outcome> {
    const { metadata } = await this.#list(signal, { limit: 1 }, () => undefined)
    if (isBefore(metadata.resourceVersion ?? '', version)) return { kind: 'failed', failure: { kind: 'rewound' } }
    return { kind: 'done' }
  }

  #take(event: WatchEvent & { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' }): void {
    if (event.type === 'BOOKMARK') return
    const key = keyOf(event.object)
    const entry = event.type === 'DELETED' ? undefined : this.#entryOf(event.object)
    const change: CacheChange<T> | undefined =
      entry === undefined ? this.#store.remove(key) : this.#store.put(key, entry)
    if (change !== undefined) this.#store.tell(change)
  }

  /** Undefined when the projection throws: the object then counts as absent, so that nobody acts on what it was before. */
  #entryOf(object: KubeObject): Entry<T> | undefined {
    // Lists leave these two out of their items; everyone else expects them.
    const { group, version, kind } = this.#client.type
    object.apiVersion ??= group ? `${group}/${version}` : version
    object.kind ??= kind
    try {
      return { value: this.#project(object), version: object.metadata.resourceVersion ?? '' }
    } catch (error) {
      this.#log.error('projection failed', { key: keyOf(object), error })
      return undefined
    }
  }

  #report(state: State, { failure }: Outcome & { readonly kind: 'failed' }): void {
    this.#metrics.failure(failure.kind)
    this.#complaints.failed(state.kind, failure)
  }
}
