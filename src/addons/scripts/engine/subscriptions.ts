/**
 * The subscriptions of all hooks, one per `kubernetes` binding, created and closed with the hook. Lists start at once; their runs wait
 * until the hook is enabled.
 */
import type { KubeClient } from '../../../kube/index.ts'
import type { Runtime } from '../../../runtime/index.ts'
import type { KubernetesBinding } from '../config/types.ts'
import type { Hook } from '../hook.ts'
import { Kinds } from '../watching/kinds.ts'
import { Monitor } from '../watching/monitor.ts'
import { Watches } from '../watching/watches.ts'
import type { EngineMetrics, RunLabels } from './metrics.ts'
import { Subscription, type SubscriptionOutlet } from './subscription.ts'

export interface SubscriptionsOptions {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly metrics: EngineMetrics
  readonly signal: AbortSignal
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #outlet: SubscriptionOutlet
  readonly #watches: Watches
  readonly #kinds: Kinds
  readonly #byHook = new Map<string, readonly Subscription[]>()
  /** By binding. */
  readonly #monitors = new Map<object, Monitor>()
  /** The bindings with this filter text. */
  readonly #filtered = new Map<string, RunLabels[]>()
  /** Resolves when discovery has found the kinds of all bindings. */
  #known: Promise<void> = Promise.resolve()

  constructor(options: SubscriptionsOptions, outlet: Pick<SubscriptionOutlet, 'newId' | 'put' | 'listedLate'>) {
    const { client, runtime, metrics, signal } = options
    this.#options = options
    this.#outlet = { ...outlet, runtime, handled: (labels, milliseconds) => metrics.handled(labels, milliseconds) }
    this.#kinds = new Kinds(client, runtime, signal)
    this.#watches = new Watches(client, runtime, {
      took: ({ source }, milliseconds) => {
        for (const labels of this.#filtered.get(source) ?? []) metrics.filtered(labels, milliseconds)
      },
      refused: (error) => metrics.watchFailed(error),
    })
  }

  add(hooks: readonly Hook[]): void {
    for (const hook of hooks) this.#byHook.set(hook.name, this.#subscribeAll(hook))
    // Lists run in parallel with the onStartup hooks.
    if (hooks.some(({ config }) => config.kubernetes.length > 0)) this.#known = this.#kinds.start()
  }

  remove({ name }: Hook): void {
    this.#close(this.of(name))
    this.#byHook.delete(name)
  }

  /** Closes the subscriptions of bindings that the hook no longer has and creates those of new ones; the others stay as they are. */
  replace(hook: Hook): void {
    const { kubernetes } = hook.config
    const known = new Map(this.of(hook.name).map((subscription) => [subscription.monitor.binding, subscription]))
    this.#close([...known.values()].filter(({ monitor }) => !kubernetes.includes(monitor.binding)))
    const subscriptions = kubernetes.map((binding) => known.get(binding) ?? this.#subscribe(hook, binding))
    for (const subscription of subscriptions) subscription.hook = hook
    this.#byHook.set(hook.name, subscriptions)
    if (kubernetes.some((binding) => !known.has(binding))) this.#known = this.#kinds.start()
  }

  of(hook: string): readonly Subscription[] {
    return this.#byHook.get(hook) ?? []
  }

  has(hook: string): boolean {
    return this.#byHook.has(hook)
  }

  monitorOf(binding: object): Monitor | undefined {
    return this.#monitors.get(binding)
  }

  /** Enables the bindings of a hook and returns those with a due Synchronization run. Undefined when the operator stops meanwhile. */
  async enable(hook: Hook): Promise<readonly Subscription[] | undefined> {
    const { runtime, metrics, signal } = this.#options
    const begun = runtime.clock.monotonic()
    await unlessStopped(this.#known, signal)
    const listed: Subscription[] = []
    for (const subscription of this.of(hook.name)) {
      const isListed = await unlessStopped(subscription.enable(), signal)
      if (isListed === true) listed.push(subscription)
      if (!subscription.monitor.isListed && !signal.aborted) this.#reportDelay(hook.name, subscription.monitor)
    }
    if (signal.aborted) return undefined
    metrics.enabled(hook.name, runtime.clock.monotonic() - begun)
    return listed
  }

  /** Resolves when all watches of the hook have their first list, or it failed. */
  async settled(hook: Hook): Promise<void> {
    const { signal } = this.#options
    await unlessStopped(this.#known, signal)
    for (const { monitor } of this.of(hook.name)) await unlessStopped(monitor.settled(), signal)
  }

  /** Updates the metrics of snapshot sizes. */
  measure(): void {
    for (const subscriptions of this.#byHook.values())
      for (const { labels, monitor } of subscriptions) this.#options.metrics.snapshot(labels, monitor.size)
  }

  /** To be called after the signal has aborted. */
  async ended(): Promise<void> {
    await this.#watches.stop()
    await this.#kinds.stop()
  }

  /** The reason of a failed list is logged by the watch, which several bindings may share. */
  #reportDelay(hook: string, { binding: { name, kind }, isServed }: Monitor): void {
    const { runtime, metrics } = this.#options
    metrics.notEnabled(hook)
    if (isServed)
      runtime.log.warn('objects cannot be listed yet: the binding starts later', { hook, binding: name, kind })
  }

  #subscribeAll(hook: Hook): readonly Subscription[] {
    return hook.config.kubernetes.map((binding) => this.#subscribe(hook, binding))
  }

  #subscribe(hook: Hook, binding: KubernetesBinding): Subscription {
    const needsObjects = hook.config.version === 'v1'
    const monitor = new Monitor({ hook: hook.name, binding, needsObjects }, this.#watches, this.#kinds)
    this.#monitors.set(binding, monitor)
    const subscription = new Subscription(hook, monitor, this.#outlet)
    const source = binding.jqFilter?.source
    if (source !== undefined) this.#filtered.set(source, [...(this.#filtered.get(source) ?? []), subscription.labels])
    return subscription
  }

  #close(subscriptions: readonly Subscription[]): void {
    for (const { monitor, labels } of subscriptions) {
      monitor.close()
      this.#monitors.delete(monitor.binding)
      const source = monitor.binding.jqFilter?.source ?? ''
      const left = this.#filtered.get(source) ?? []
      const others = left.filter(({ hook, binding }) => hook !== labels.hook || binding !== labels.binding)
      if (others.length === 0) this.#filtered.delete(source)
      else this.#filtered.set(source, others)
    }
  }
}

function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
