/**
 * Runs hooks: at the start in their order, then, hook by hook, their watches and schedules begin; from then on whatever happens becomes a task
 * of a queue. How a hook is run and what is done with its results comes from outside, and so do hooks that come and go later.
 */
import type { Page, Recorder } from '../../../hooks/index.ts'
import type { KubeClient } from '../../../kube/client/client.ts'
import type { Json } from '../../../runtime/json.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Cause } from '../contexts/cause.ts'
import { textOf } from '../contexts/pieces.ts'
import { Snapshots } from '../contexts/snapshots.ts'
import type { Hook } from '../hook.ts'
import type { Queue, Verdict } from '../queues/queue.ts'
import { mainQueue, Queues } from '../queues/queues.ts'
import { RunLimits } from '../queues/rate-limit.ts'
import type { Retry } from '../queues/retry.ts'
import type { Batch } from '../queues/task.ts'
import type { RunResult } from '../run/types.ts'
import type { Conducted } from './conductor.ts'
import type { Errand, RunOutcome } from './errand.ts'
import type { EngineMetrics } from './metrics.ts'
import { type Review, Reviews } from './reviews.ts'
import { type HookRuns, type RunContext, runBatch, triedAgain } from './runs.ts'
import { Schedules } from './schedules.ts'
import { Subscriptions } from './subscriptions.ts'
import { enablingTask, errandTask, type HookTask, runTask, supersede, type Work } from './work.ts'

export interface EngineOptions {
  /** In the order of their names. */
  readonly hooks: readonly Hook[]
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly runs: HookRuns
  readonly metrics: EngineMetrics
  readonly recorder: Recorder
  /** Where runs are journaled. @default nowhere */
  readonly page?: Page | undefined
  readonly retry: Retry
  /** Milliseconds a run may take. @default none */
  readonly timeout?: number
  /** Something in the queues changed. */
  changed(): void
  /** Nothing new begins once it aborts, and what runs is stopped. */
  readonly signal: AbortSignal
}

export class Engine implements Conducted {
  /** Resolves when hooks of the start have run and every hook's watches and schedules have begun. */
  readonly ready: Promise<void>
  readonly #options: EngineOptions
  readonly #queues: Queues<Work>
  readonly #schedules: Schedules
  readonly #subscriptions: Subscriptions
  readonly #runContext: Omit<RunContext, 'signal'>
  readonly #reviews: Reviews
  readonly #byName = new Map<string, Hook>()
  /** What ends the schedules of a hook, by its name. */
  readonly #unschedule = new Map<string, readonly (() => void)[]>()
  #lastId = 0
  /** What is left to do before everything works. */
  #beginning = 0
  #becomeReady = () => {}

  constructor(options: EngineOptions) {
    const { runtime, runs, metrics, signal, timeout, retry } = options
    this.#options = options
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve
    })
    this.#schedules = new Schedules(runtime.clock)
    this.#subscriptions = new Subscriptions(options, {
      newId: () => this.#newId(),
      put: (queue, task) => this.#put(queue, task),
      listedLate: (late) => this.#put(mainQueue, late.synchronization()),
    })
    const monitorOf = (binding: object) => this.#subscriptions.monitorOf(binding)
    const source = { snapshots: new Snapshots(), monitorOf }
    this.#runContext = {
      ...{ runtime, runs, metrics, source, retry },
      recorder: options.recorder,
      page: options.page,
      // Short, and different for every start: the numbers of tasks begin again.
      engine: runtime.clock.now().toString(36),
      ...(timeout === undefined ? {} : { timeout }),
    }
    this.#reviews = new Reviews({ ...this.#runContext, signal })
    this.#queues = new Queues<Work>(
      {
        clock: runtime.clock,
        limits: new RunLimits(runtime.clock, (name) => this.#byName.get(name)?.config.settings),
        retry,
        supersede,
        work: (batch, queue, broken) => this.#work(batch, queue, broken),
        changed: options.changed,
      },
      signal,
    )
  }

  /** Those that are there at this moment. */
  get hooks(): readonly Hook[] {
    return [...this.#byName.values()]
  }

  get queues(): readonly Queue<Work>[] {
    return this.#queues.list()
  }

  start(): void {
    this.add(this.#options.hooks)
    for (const hook of atStart(this.hooks)) this.#beginBy(runTask(this.#newId(), hook, { kind: 'startup' }))
    for (const hook of this.hooks) {
      const { kubernetes, schedules } = hook.config
      if (kubernetes.length > 0) this.#beginBy(enablingTask(this.#newId(), hook, 'enable-kubernetes'))
      if (schedules.length > 0) this.#beginBy(enablingTask(this.#newId(), hook, 'enable-schedules'))
    }
    if (this.#beginning === 0) this.#becomeReady()
  }

  add(hooks: readonly Hook[]): void {
    const enabled = hooks.filter(({ config }) => !config.disabled)
    for (const hook of enabled) this.#byName.set(hook.name, hook)
    this.#subscriptions.add(enabled)
  }

  remove(hooks: readonly Hook[]): void {
    for (const hook of hooks) {
      for (const end of this.#unschedule.get(hook.name) ?? []) end()
      this.#unschedule.delete(hook.name)
      this.#subscriptions.remove(hook)
      this.#byName.delete(hook.name)
      this.#queues.drop(hook.name)
    }
  }

  settled(hook: Hook): Promise<void> {
    return this.#subscriptions.settled(hook)
  }

  async enable(hook: Hook): Promise<readonly Cause[]> {
    const untold = (await this.#subscriptions.enable(hook)) ?? []
    return untold.map(({ monitor }) => ({ kind: 'synchronization', binding: monitor.binding }))
  }

  schedule(hook: Hook): void {
    const ends = hook.config.schedules.map((binding) =>
      this.#schedules.add(binding.crontab, () =>
        this.#put(binding.queue, runTask(this.#newId(), hook, { kind: 'schedule', binding })),
      ),
    )
    this.#unschedule.set(hook.name, ends)
  }

  async run(hook: Hook, cause: Cause, signal: AbortSignal): Promise<RunOutcome> {
    const first = runTask(this.#newId(), hook, cause)
    const batch = { first, tasks: [first], failures: 0, queuedAt: this.#options.runtime.clock.monotonic() }
    return (await this.#run(hook, batch, mainQueue, signal, true)).kind
  }

  put(errand: Errand): void {
    this.#put(mainQueue, errandTask(this.#newId(), errand))
  }

  /** Tells how much waits and how much is watched. */
  measure(): void {
    for (const { name, length } of this.queues) this.#options.metrics.queueLength(name, length)
    this.#subscriptions.measure()
  }

  /** What the bindings of a hook see at this moment, by their names; undefined when there is no such hook. */
  snapshots(hook: string): Json | undefined {
    if (!this.#subscriptions.has(hook)) return undefined
    const { snapshots } = this.#runContext.source
    return Object.fromEntries(
      this.#subscriptions
        .of(hook)
        .map(({ monitor }) => [monitor.binding.name, JSON.parse(textOf(snapshots.of(monitor))) as Json]),
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
    await this.#subscriptions.ended()
  }

  #beginBy(task: HookTask): void {
    this.#beginning++
    this.#put(mainQueue, task)
  }

  async #work(batch: Batch<Work>, queue: string, signal: AbortSignal): Promise<Verdict<Work>> {
    const { cause, hook: name } = batch.first
    if (cause.kind === 'errand') return this.#carryOut(cause.errand, batch.failures, signal)
    const hook = this.#byName.get(name)
    if (hook === undefined) return { kind: 'done' }
    if (cause.kind === 'enable-kubernetes') return this.#enableKubernetes(hook)
    if (cause.kind === 'enable-schedules') {
      this.schedule(hook)
      this.#begun()
      return { kind: 'done' }
    }
    const verdict = await this.#run(hook, batch, queue, signal)
    if (verdict.kind === 'done' && cause.kind === 'startup') this.#begun()
    return verdict
  }

  async #run(
    hook: Hook,
    batch: Batch<Work>,
    queue: string,
    signal: AbortSignal,
    isPart = false,
  ): Promise<Verdict<Work>> {
    try {
      const verdict = await runBatch(hook, batch, queue, { ...this.#runContext, signal, isPart })
      if (verdict.kind === 'done') this.#goOnAfter(batch)
      return verdict
    } catch (error) {
      if (signal.aborted) return { kind: 'stopped' }
      this.#options.runtime.log.error('hook could not be run: it is tried again', { hook: hook.name, queue, error })
      return { kind: 'failed' }
    }
  }

  async #carryOut(errand: Errand, failures: number, signal: AbortSignal): Promise<Verdict<Work>> {
    const failed = (why: object): void => {
      const what = {
        task: errand.type,
        name: errand.name,
        ...triedAgain({ allowFailure: false }, this.#options.retry, failures),
        ...why,
      }
      this.#options.runtime.log.error('failed: it is tried again', what)
    }
    try {
      const { outcome, next = [] } = await errand.work(signal)
      if (outcome === 'failed' && !signal.aborted) failed({})
      if (outcome !== 'done') return { kind: signal.aborted ? 'stopped' : outcome }
      return { kind: 'done', next: next.map((one) => errandTask(this.#newId(), one)) }
    } catch (error) {
      if (signal.aborted) return { kind: 'stopped' }
      failed({ error })
      return { kind: 'failed' }
    }
  }

  async #enableKubernetes(hook: Hook): Promise<Verdict<Work>> {
    const untold = await this.#subscriptions.enable(hook)
    if (untold === undefined) return { kind: 'stopped' }
    this.#begun()
    return { kind: 'done', next: untold.map((subscription) => subscription.synchronization()) }
  }

  #begun(): void {
    this.#beginning--
    if (this.#beginning === 0) this.#becomeReady()
  }

  /** Whoever was told of its list now gets what happened since. */
  #goOnAfter({ first, tasks }: Batch<Work>): void {
    for (const { cause } of tasks) {
      if (cause.kind !== 'synchronization') continue
      const told = this.#subscriptions.of(first.hook).find(({ monitor }) => monitor.binding === cause.binding)
      told?.release()
    }
  }

  #put(queue: string, task: HookTask): void {
    this.#queues.put(queue, task)
  }

  #newId(): string {
    this.#lastId++
    return `${this.#lastId}`
  }
}

/** By order; hooks of one order as they stand. */
export function atStart(hooks: readonly Hook[]): readonly Hook[] {
  return inOrder(hooks, ({ config }) => config.onStartup)
}

/** Those that have an order, ascending. */
export function inOrder(hooks: readonly Hook[], orderOf: (hook: Hook) => number | undefined): readonly Hook[] {
  return hooks
    .filter((hook) => orderOf(hook) !== undefined)
    .toSorted((one, other) => (orderOf(one) ?? 0) - (orderOf(other) ?? 0))
}
