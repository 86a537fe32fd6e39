/**
 * Keeps a cache equal to the server: performs the step that the state machine names (list, swap, watch, verify, wait) and reports its outcome.
 * The state machine alone decides about retries and relists.
 */
import type { Runtime } from '../../runtime/index.ts'
import type { ResourceClient, WatchEvent } from '../client/client.ts'
import { IdleTimeout } from '../idle-timeout.ts'
import { type KubeObject, keyOf } from '../object.ts'
import { watchBackoff } from './backoff.ts'
import type { Cache, CacheChange, Reflector, ReflectorOptions } from './cache.ts'
import { type Failure, failureOfError, failureOfStatus } from './failure.ts'
import { FailureLog } from './failure-log.ts'
import { type ReflectorMetrics, reflectorMetrics } from './metrics.ts'
import { withoutManagedFields } from './project.ts'
import { initial, type Outcome, type State, step } from './state.ts'
import { type Entry, type Listing, Store } from './store.ts'
import { isBefore } from './version.ts'

/** A watch without data for this time counts as dead: a server sends a bookmark about every minute. */
const watchSilenceMs = 180_000

/** A page that takes longer counts as lost: API servers abort a request after one minute. */
const pageTimeoutMs = 90_000

/** A watch that lasted this long was successful even without an event. */
const healthyWatchMs = 30_000

/** Changes that listeners are notified of before the reflector yields to other work. */
const notificationBatchSize = 1_000

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
  readonly #failures: FailureLog
  #listing: Listing<T>

  constructor(client: ResourceClient, runtime: Runtime, options: ReflectorOptions<T>) {
    const { resource, group } = client.type
    const name = group ? `${resource}.${group}` : resource
    this.#client = client
    this.#runtime = runtime
    this.#options = options
    // Without a projection T is the object type of the client, by the public signature.
    this.#project = options.project ?? (withoutManagedFields as (object: KubeObject) => T)
    this.#log = runtime.log.with({ resource: name })
    this.#failures = new FailureLog(this.#log, runtime.clock)
    this.#store = new Store(this.#log, options.indexes, options.isSame)
    this.#listing = this.#store.begin({ reuse: true })
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
    // A separate signal, because dozens of reflectors share one and every wait adds a listener.
    const signal = AbortSignal.any([until])
    let state = initial
    while (!signal.aborted) {
      const outcome = await this.#perform(state, signal)
      if (signal.aborted) return
      if (outcome.kind === 'failed') this.#report(state, outcome)
      else this.#failures.succeeded(state.kind)
      state = step(state, outcome, watchBackoff, this.#runtime.random.next())
    }
  }

  async #perform(state: State, signal: AbortSignal): Promise<Outcome> {
    try {
      switch (state.kind) {
        case 'empty':
          this.#listing = this.#store.begin({ reuse: !state.rewound })
          this.#metrics.list()
          return { kind: 'done' }
        case 'paging':
          return await this.#page(state, signal)
        case 'listed':
          await this.#swap(signal)
          return { kind: 'done' }
        case 'watching':
          return await this.#watch(state.version, signal)
        case 'verifying':
          return await this.#verify(state.version, signal)
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
    const timeout = new IdleTimeout(this.#runtime.clock, signal, pageTimeoutMs)
    try {
      const options = { ...this.#scope, ...page, omitManagedFields: true, signal: timeout.signal }
      return await this.#client.gather(keep, options)
    } finally {
      timeout.end()
    }
  }

  async #swap(signal: AbortSignal): Promise<void> {
    const changes = this.#store.swap(this.#listing)
    // Release the listing, which refers to the previous entries.
    this.#listing = this.#store.begin({ reuse: true })
    let notified = 0
    for (const change of changes) {
      this.#store.notify(change)
      if (++notified % notificationBatchSize === 0 && !signal.aborted) await this.#runtime.clock.sleep(0)
    }
    this.#store.markSynced()
  }

  async #watch(from: string, signal: AbortSignal): Promise<Outcome> {
    const timeout = new IdleTimeout(this.#runtime.clock, signal, watchSilenceMs)
    const opened = this.#runtime.clock.monotonic()
    let version = from
    let events = 0
    const lasted = () => this.#runtime.clock.monotonic() - opened >= healthyWatchMs
    const failed = (failure: Failure): Outcome => {
      const progressed = version !== from || lasted()
      return { kind: 'failed', failure, version, progressed }
    }
    try {
      for await (const event of this.#openWatch(from, timeout.signal)) {
        timeout.reset()
        events++
        if (event.type === 'ERROR') {
          timeout.end()
          return failed(failureOfStatus(event.object))
        }
        const reached = event.object.metadata.resourceVersion ?? ''
        if (isBefore(reached, from)) {
          timeout.end()
          return failed({ kind: 'rewound' })
        }
        this.#apply(event)
        if (reached !== '') version = reached
      }
      return { kind: 'ended', version, progressed: events > 0 || lasted() }
    } catch (error) {
      return failed(timeout.isExpired ? { kind: 'silent' } : failureOfError(error))
    } finally {
      timeout.end()
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
      // Random, so that watches opened together do not end together.
      timeoutSeconds: 300 + Math.floor(this.#runtime.random.next() * 300),
      signal,
    })
  }

  /** A list of one object returns the newest resourceVersion of the server. */
  async #verify(version: string, signal: AbortSignal): Promise<Outcome> {
    const { metadata } = await this.#list(signal, { limit: 1 }, () => undefined)
    if (isBefore(metadata.resourceVersion ?? '', version)) return { kind: 'failed', failure: { kind: 'rewound' } }
    return { kind: 'done' }
  }

  #apply(event: WatchEvent & { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' }): void {
    if (event.type === 'BOOKMARK') return
    const key = keyOf(event.object)
    const entry = event.type === 'DELETED' ? undefined : this.#entryOf(event.object)
    const change: CacheChange<T> | undefined =
      entry === undefined ? this.#store.remove(key) : this.#store.put(key, entry)
    if (change !== undefined) this.#store.notify(change)
  }

  /** Undefined when the projection throws: the object counts as absent, so that no controller acts on its old state. */
  #entryOf(object: KubeObject): Entry<T> | undefined {
    // Servers omit these two in the items of lists.
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
    this.#failures.failed(state.kind, failure)
  }
}
