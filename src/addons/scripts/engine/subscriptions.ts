/**
 * What all hooks watch: a subscription per `kubernetes` binding, made when its hook comes and closed when it goes. Lists are fetched at once;
 * hooks hear of them only when it is their turn.
 */
import type { KubeClient } from '../../../kube/client/client.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
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
  /** Which bindings have a filter of this text. */
  readonly #filtered = new Map<string, RunLabels[]>()
  /** Resolves when it is clear which kinds there are. */
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
    for (const hook of hooks) this.#byHook.set(hook.name, this.#subscribe(hook))
    // Lists are on their way while hooks run at the start; nobody looks at them before their turn.
    if (hooks.some(({ config }) => config.kubernetes.length > 0)) this.#known = this.#kinds.start()
  }

  remove({ name }: Hook): void {
    for (const { monitor, labels } of this.of(name)) {
      monitor.close()
      this.#monitors.delete(monitor.binding)
      const source = monitor.binding.jqFilter?.source ?? ''
      const left = this.#filtered.get(source)?.filter(({ hook }) => hook !== labels.hook) ?? []
      if (left.length === 0) this.#filtered.delete(source)
      else this.#filtered.set(source, left)
    }
    this.#byHook.delete(name)
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

  /** Lets the hook hear of its bindings; those whose list it is to be told of now. Undefined when the operator stops meanwhile. */
  async enable(hook: Hook): Promise<readonly Subscription[] | undefined> {
    const { runtime, metrics, signal } = this.#options
    const begun = runtime.clock.monotonic()
    await unlessStopped(this.#known, signal)
    const untold: Subscription[] = []
    for (const subscription of this.of(hook.name)) {
      const isToBeTold = await unlessStopped(subscription.enable(), signal)
      if (isToBeTold === true) untold.push(subscription)
      if (!subscription.monitor.isListed && !signal.aborted) this.#tellOfDelay(hook.name, subscription.monitor)
    }
    if (signal.aborted) return undefined
    metrics.enabled(hook.name, runtime.clock.monotonic() - begun)
    return untold
  }

  /** Resolves when all the hook sees has been listed once, or cannot be. */
  async settled(hook: Hook): Promise<void> {
    const { signal } = this.#options
    await unlessStopped(this.#known, signal)
    for (const { monitor } of this.of(hook.name)) await unlessStopped(monitor.settled(), signal)
  }

  /** Tells how much is watched. */
  measure(): void {
    for (const subscriptions of this.#byHook.values())
      for (const { labels, monitor } of subscriptions) this.#options.metrics.snapshot(labels, monitor.size)
  }

  /** To be called after the signal has aborted. */
  async ended(): Promise<void> {
    await this.#watches.stop()
    await this.#kinds.stop()
  }

  /** Why a list is refused is told where it is asked for, and for many bindings at once. */
  #tellOfDelay(hook: string, { binding: { name, kind }, isServed }: Monitor): void {
    const { runtime, metrics } = this.#options
    metrics.notEnabled(hook)
    if (isServed)
      runtime.log.warn('objects cannot be listed yet; the binding waits for them', { hook, binding: name, kind })
  }

  #subscribe(hook: Hook): readonly Subscription[] {
    return hook.config.kubernetes.map((binding) => {
      const isTold = hook.config.version === 'v1'
      const monitor = new Monitor(hook.name, binding, isTold, this.#watches, this.#kinds)
      this.#monitors.set(binding, monitor)
      const subscription = new Subscription(hook, monitor, this.#outlet)
      const source = binding.jqFilter?.source
      if (source !== undefined) this.#filtered.set(source, [...(this.#filtered.get(source) ?? []), subscription.labels])
      return subscription
    })
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
