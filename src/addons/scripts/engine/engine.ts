/**
 * Runs hooks: at the start in their order, then, hook by hook, their watches and schedules begin; from then on whatever happens becomes a task
 * of a queue. How a hook is run and what is done with its results comes from outside.
 */
import type { KubeClient } from '../../../kube/client/client.ts'
import type { Json } from '../../../runtime/json.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { textOf } from '../contexts/pieces.ts'
import { Snapshots } from '../contexts/snapshots.ts'
import type { Hook } from '../hook.ts'
import type { Queue, Verdict } from '../queues/queue.ts'
import { mainQueue, Queues } from '../queues/queues.ts'
import { RunLimits } from '../queues/rate-limit.ts'
import type { Batch } from '../queues/task.ts'
import type { RunResult } from '../run/types.ts'
import { Kinds } from '../watching/kinds.ts'
import { Monitor } from '../watching/monitor.ts'
import { Watches } from '../watching/watches.ts'
import type { EngineMetrics, RunLabels } from './metrics.ts'
import { type Review, Reviews } from './reviews.ts'
import { type HookRuns, type RunContext, runBatch } from './runs.ts'
import { Schedules } from './schedules.ts'
import { Subscription } from './subscription.ts'
import { enablingTask, type HookTask, runTask, supersede, type Work } from './work.ts'

export interface EngineOptions {
  /** In the order of their names. */
  readonly hooks: readonly Hook[]
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly runs: HookRuns
  readonly metrics: EngineMetrics
  /** Milliseconds before the first retry, and at most before any. */
  readonly retry: { readonly backoff: number; readonly maxBackoff: number }
  /** Milliseconds a run may take. @default none */
  readonly timeout?: number
  /** Something in the queues changed. */
  changed(): void
  /** Nothing new begins once it aborts, and what runs is stopped. */
  readonly signal: AbortSignal
}

export class Engine {
  readonly hooks: readonly Hook[]
  /** Resolves when hooks of the start have run and every hook's watches and schedules have begun. */
  readonly ready: Promise<void>
  readonly #options: EngineOptions
  readonly #queues: Queues<Work>
  readonly #schedules: Schedules
  readonly #watches: Watches
  readonly #kinds: Kinds
  readonly #runContext: Omit<RunContext, 'signal'>
  readonly #reviews: Reviews
  readonly #byName = new Map<string, Hook>()
  readonly #subscriptions = new Map<string, readonly Subscription[]>()
  /** By binding. */
  readonly #monitors = new Map<object, Monitor>()
  /** Which bindings have a filter of this text. */
  readonly #filtered = new Map<string, RunLabels[]>()
  #lastId = 0
  /** Resolves when it is clear which kinds there are. */
  #known: Promise<void> = Promise.resolve()
  /** What is left to do before everything works. */
  #beginning = 0
  #becomeReady = () => {}

  constructor(options: EngineOptions) {
    const { hooks, client, runtime, runs, metrics, signal, timeout } = options
    this.#options = options
    this.hooks = hooks.filter(({ config }) => !config.disabled)
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve
    })
    for (const hook of this.hooks) this.#byName.set(hook.name, hook)
    this.#schedules = new Schedules(runtime.clock)
    this.#kinds = new Kinds(client, runtime, signal)
    this.#watches = new Watches(client, runtime, {
      took: ({ source }, milliseconds) => {
        for (const labels of this.#filtered.get(source) ?? []) metrics.filtered(labels, milliseconds)
      },
      refused: (error) => metrics.watchFailed(error),
    })
    const source = { snapshots: new Snapshots(), monitorOf: (binding: object) => this.#monitors.get(binding) }
    this.#runContext = { runtime, runs, metrics, source, ...(timeout === undefined ? {} : { timeout }) }
    this.#reviews = new Reviews({ ...this.#runContext, signal })
    this.#queues = new Queues<Work>(
      {
        clock: runtime.clock,
        limits: new RunLimits(runtime.clock, (name) => this.#byName.get(name)?.config.settings),
        retry: options.retry,
        supersede,
        work: (batch, queue, broken) => this.#work(batch, queue, broken),
        changed: options.changed,
      },
      signal,
    )
  }

  get queues(): readonly Queue<Work>[] {
    return this.#queues.list()
  }

  start(): void {
    for (const hook of this.hooks) this.#subscriptions.set(hook.name, this.#subscribe(hook))
    // Lists are on their way while hooks run at the start; nobody looks at them before their turn.
    if (this.hooks.some(({ config }) => config.kubernetes.length > 0)) this.#known = this.#kinds.start()
    for (const hook of atStart(this.hooks)) this.#beginBy(runTask(this.#newId(), hook, { kind: 'startup' }))
    for (const hook of this.hooks) {
      const { kubernetes, schedules } = hook.config
      if (kubernetes.length > 0) this.#beginBy(enablingTask(this.#newId(), hook, 'enable-kubernetes'))
      if (schedules.length > 0) this.#beginBy(enablingTask(this.#newId(), hook, 'enable-schedules'))
    }
    if (this.#beginning === 0) this.#becomeReady()
  }

  /** Tells how much waits and how much is watched. */
  measure(): void {
    const { metrics } = this.#options
    for (const { name, length } of this.queues) metrics.queueLength(name, length)
    for (const subscriptions of this.#subscriptions.values())
      for (const { labels, monitor } of subscriptions) metrics.snapshot(labels, monitor.size)
  }

  /** What the bindings of a hook see at this moment, by their names; undefined when there is no such hook. */
  snapshots(hook: string): Json | undefined {
    const subscriptions = this.#subscriptions.get(hook)
    if (subscriptions === undefined) return undefined
    const { snapshots } = this.#runContext.source
    return Object.fromEntries(
      subscriptions.map(({ monitor }) => [monitor.binding.name, JSON.parse(textOf(snapshots.of(monitor))) as Json]),
    )
  }

  /** Runs a hook at once for somebody who waits for its answer. */
  review(hook: Hook, review: Review): Promise<RunResult> {
    return this.#reviews.run(hook, review, this.#newId())
  }

  /** To be called after the signal has aborted; resolves when nothing runs any more. */
  async ended(): Promise<void> {
    this.#schedules.stop()
    await this.#queues.ended()
    await this.#reviews.ended()
    await this.#watches.stop()
    await this.#kinds.stop()
  }

  #subscribe(hook: Hook): readonly Subscription[] {
    return hook.config.kubernetes.map((binding) => {
      const monitor = new Monitor(binding, hook.config.version === 'v1', this.#watches, this.#kinds)
      this.#monitors.set(binding, monitor)
      const subscription = new Subscription(hook, monitor, {
        handled: (labels, milliseconds) => this.#options.metrics.handled(labels, milliseconds),
        runtime: this.#options.runtime,
        newId: () => this.#newId(),
        put: (queue, task) => this.#put(queue, task),
        listedLate: (late) => this.#put(mainQueue, late.synchronization()),
      })
      const source = binding.jqFilter?.source
      if (source !== undefined) this.#filtered.set(source, [...(this.#filtered.get(source) ?? []), subscription.labels])
      return subscription
    })
  }

  #beginBy(task: HookTask): void {
    this.#beginning++
    this.#put(mainQueue, task)
  }

  async #work(batch: Batch<Work>, queue: string, signal: AbortSignal): Promise<Verdict<Work>> {
    const { first } = batch
    const hook = this.#byName.get(first.hook)
    if (hook === undefined) return { kind: 'done' }
    if (first.cause.kind === 'enable-kubernetes') return this.#enableKubernetes(hook)
    if (first.cause.kind === 'enable-schedules') return this.#enableSchedules(hook)
    try {
      const verdict = await runBatch(hook, batch, queue, { ...this.#runContext, signal })
      if (verdict.kind === 'done') this.#goOnAfter(batch)
      return verdict
    } catch (error) {
      if (signal.aborted) return { kind: 'stopped' }
      this.#options.runtime.log.error('hook could not be run: it is tried again', { hook: hook.name, queue, error })
      return { kind: 'failed' }
    }
  }

  async #enableKubernetes(hook: Hook): Promise<Verdict<Work>> {
    const { clock } = this.#options.runtime
    const begun = clock.monotonic()
    await this.#unlessStopped(this.#known)
    const next: HookTask[] = []
    for (const subscription of this.#subscriptionsOf(hook)) {
      const isToBeTold = await this.#unlessStopped(subscription.enable())
      if (isToBeTold === true) next.push(subscription.synchronization())
      if (!subscription.monitor.isListed) this.#options.metrics.notEnabled(hook.name)
    }
    if (this.#options.signal.aborted) return { kind: 'stopped' }
    this.#options.metrics.enabled(hook.name, clock.monotonic() - begun)
    this.#begun()
    return { kind: 'done', next }
  }

  #enableSchedules(hook: Hook): Verdict<Work> {
    for (const binding of hook.config.schedules) {
      this.#schedules.add(binding.crontab, () =>
        this.#put(binding.queue, runTask(this.#newId(), hook, { kind: 'schedule', binding })),
      )
    }
    this.#begun()
    return { kind: 'done' }
  }

  #begun(): void {
    this.#beginning--
    if (this.#beginning === 0) this.#becomeReady()
  }

  /** The start goes on; whoever was told of its list now gets what happened since. */
  #goOnAfter({ first, tasks }: Batch<Work>): void {
    if (first.cause.kind === 'startup') this.#begun()
    for (const { cause } of tasks) {
      if (cause.kind !== 'synchronization') continue
      const hook = this.#byName.get(first.hook)
      const told = hook && this.#subscriptionsOf(hook).find(({ monitor }) => monitor.binding === cause.binding)
      told?.release()
    }
  }

  #unlessStopped<T>(work: Promise<T>): Promise<T | undefined> {
    const { signal } = this.#options
    if (signal.aborted) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      const stop = () => resolve(undefined)
      signal.addEventListener('abort', stop, { once: true })
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    })
  }

  #put(queue: string, task: HookTask): void {
    this.#queues.put(queue, task)
  }

  #newId(): string {
    this.#lastId++
    return `${this.#lastId}`
  }

  #subscriptionsOf({ name }: Hook): readonly Subscription[] {
    return this.#subscriptions.get(name) ?? []
  }
}

/** By order; hooks of one order as they stand. */
function atStart(hooks: readonly Hook[]): readonly Hook[] {
  const order = ({ config }: Hook) => config.onStartup ?? 0
  return hooks
    .filter(({ config }) => config.onStartup !== undefined)
    .toSorted((one, other) => order(one) - order(other))
}
