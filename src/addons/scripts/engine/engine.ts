/**
 * Runs hooks: first the onStartup hooks in their order, then it enables the watches and schedules of each hook; after that every event
 * becomes a task in a queue. The caller provides how a hook runs and how its results are applied, and may add and remove hooks.
 */
import type { Recorder } from '../../../hooks/index.ts'
import type { KubeClient } from '../../../kube/index.ts'
import type { Json, Runtime } from '../../../runtime/index.ts'
import type { ScheduleBinding } from '../config/types.ts'
import type { Cause } from '../contexts/cause.ts'
import { textOf } from '../contexts/json-pieces.ts'
import { Snapshots } from '../contexts/snapshots.ts'
import type { Hook } from '../hook.ts'
import type { Queue, Verdict } from '../queues/queue.ts'
import { mainQueue, Queues } from '../queues/queues.ts'
import { RunLimits } from '../queues/rate-limit.ts'
import type { Retry } from '../queues/retry.ts'
import type { Batch } from '../queues/task.ts'
import type { RunResult } from '../run/types.ts'
import type { EngineMetrics } from './metrics.ts'
import type { EngineControl } from './module-host.ts'
import type { QueueJob, RunOutcome } from './queue-job.ts'
import { type Review, Reviews } from './reviews.ts'
import { type HookRuns, type RunContext, retryFields, runBatch } from './runs.ts'
import { Schedules } from './schedules.ts'
import { Subscriptions } from './subscriptions.ts'
import { enablingTask, type HookTask, jobTask, runTask, supersede, type Work } from './work.ts'

export interface EngineOptions {
  /** Ordered by name. */
  readonly hooks: readonly Hook[]
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly runs: HookRuns
  readonly metrics: EngineMetrics
  readonly recorder: Recorder
  readonly retry: Retry
  /** Timeout of a run in milliseconds. @default none */
  readonly timeout?: number
  /** Called when a queue changed. */
  changed(): void
  /** On abort, runs under way are stopped and no new ones begin. */
  readonly signal: AbortSignal
}

export class Engine implements EngineControl {
  /** Resolves when the onStartup hooks have run and all watches and schedules are enabled. */
  readonly ready: Promise<void>
  readonly #options: EngineOptions
  readonly #queues: Queues<Work>
  readonly #schedules: Schedules
  readonly #subscriptions: Subscriptions
  readonly #runContext: Omit<RunContext, 'signal'>
  readonly #reviews: Reviews
  readonly #byName = new Map<string, Hook>()
  /** Functions that end the schedules of a hook, by its name and the binding. */
  readonly #unschedule = new Map<string, ReadonlyMap<ScheduleBinding, () => void>>()
  #lastId = 0
  /** The number of startup tasks that are not done yet, by hook. */
  readonly #startupTasks = new Map<string, number>()
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
      // Short and different for every start, because task numbers begin again at 1.
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

  /** The current hooks. */
  get hooks(): readonly Hook[] {
    return [...this.#byName.values()]
  }

  get queues(): readonly Queue<Work>[] {
    return this.#queues.list()
  }

  start(): void {
    this.add(this.#options.hooks)
    this.#begin(this.hooks)
    if (this.#startupTasks.size === 0) this.#becomeReady()
  }

  add(hooks: readonly Hook[]): void {
    const enabled = hooks.filter(({ config }) => !config.disabled)
    for (const hook of enabled) this.#byName.set(hook.name, hook)
    this.#subscriptions.add(enabled)
  }

  remove(hooks: readonly Hook[]): void {
    for (const hook of hooks) {
      for (const end of this.#unschedule.get(hook.name)?.values() ?? []) end()
      this.#unschedule.delete(hook.name)
      this.#subscriptions.remove(hook)
      this.#byName.delete(hook.name)
      this.#queues.drop(hook.name)
      this.#queues.retryNow(hook.name)
      if (this.#startupTasks.delete(hook.name) && this.#startupTasks.size === 0) this.#becomeReady()
    }
  }

  /** Adds hooks while the engine runs: their onStartup runs and their bindings begin now. */
  addLate(hooks: readonly Hook[]): void {
    this.add(hooks)
    this.#begin(hooks.filter(({ name }) => this.#byName.has(name)))
  }

  /**
   * Puts a version of a hook in the place of its previous one. A binding that is the same object in both keeps its watch, snapshot and tasks;
   * a run that has begun ends as the version it is.
   */
  replace(hook: Hook): void {
    this.#byName.set(hook.name, hook)
    this.#subscriptions.replace(hook)
    const ends = new Map(this.#unschedule.get(hook.name))
    for (const [binding, end] of ends) {
      if (hook.config.schedules.includes(binding)) continue
      end()
      ends.delete(binding)
    }
    this.#unschedule.set(hook.name, ends)
    this.#putEnabling(hook)
    this.#queues.retryNow(hook.name)
  }

  settled(hook: Hook): Promise<void> {
    return this.#subscriptions.settled(hook)
  }

  async enable(hook: Hook): Promise<readonly Cause[]> {
    const listed = (await this.#subscriptions.enable(hook)) ?? []
    return listed.map(({ monitor }) => ({ kind: 'synchronization', binding: monitor.binding }))
  }

  schedule(hook: Hook): void {
    const ends = new Map(this.#unschedule.get(hook.name))
    for (const binding of hook.config.schedules) {
      if (ends.has(binding)) continue
      const fire = () => {
        const current = this.#byName.get(hook.name) ?? hook
        this.#put(binding.queue, runTask(this.#newId(), current, { kind: 'schedule', binding }))
      }
      ends.set(binding, this.#schedules.add(binding.crontab, fire))
    }
    this.#unschedule.set(hook.name, ends)
  }

  async run(hook: Hook, cause: Cause, signal: AbortSignal): Promise<RunOutcome> {
    const first = runTask(this.#newId(), hook, cause)
    const batch = { first, tasks: [first], failures: 0, queuedAt: this.#options.runtime.clock.monotonic() }
    return (await this.#run(hook, batch, { queue: mainQueue, signal, isPart: true })).kind
  }

  put(job: QueueJob): void {
    this.#put(mainQueue, jobTask(this.#newId(), job))
  }

  /** Updates the metrics of queue lengths and snapshot sizes. */
  measure(): void {
    for (const { name, length } of this.queues) this.#options.metrics.queueLength(name, length)
    this.#subscriptions.measure()
  }

  /** The current snapshots of a hook by binding; undefined when the hook does not exist. */
  snapshots(hook: string): Json | undefined {
    if (!this.#subscriptions.has(hook)) return undefined
    const { snapshots } = this.#runContext.source
    return Object.fromEntries(
      this.#subscriptions
        .of(hook)
        .map(({ monitor }) => [monitor.binding.name, JSON.parse(textOf(snapshots.of(monitor))) as Json]),
    )
  }

  /** Runs a hook at once for an admission or conversion request. */
  review(hook: Hook, review: Review): Promise<RunResult> {
    return this.#reviews.run(hook, review, this.#newId())
  }

  /** To be called after the signal has aborted; resolves when all runs have ended. */
  async ended(): Promise<void> {
    this.#schedules.stop()
    await this.#queues.ended()
    await this.#reviews.ended()
    await this.#subscriptions.ended()
  }

  #begin(hooks: readonly Hook[]): void {
    for (const hook of startupHooks(hooks)) this.#putStartupTask(runTask(this.#newId(), hook, { kind: 'startup' }))
    for (const hook of hooks) this.#putEnabling(hook)
  }

  #putEnabling(hook: Hook): void {
    const { kubernetes, schedules } = hook.config
    if (kubernetes.length > 0) this.#putStartupTask(enablingTask(this.#newId(), hook, 'enable-kubernetes'))
    if (schedules.length > 0) this.#putStartupTask(enablingTask(this.#newId(), hook, 'enable-schedules'))
  }

  #putStartupTask(task: HookTask): void {
    this.#startupTasks.set(task.hook, (this.#startupTasks.get(task.hook) ?? 0) + 1)
    this.#put(mainQueue, task)
  }

  async #work(batch: Batch<Work>, queue: string, signal: AbortSignal): Promise<Verdict<Work>> {
    const { cause, hook: name } = batch.first
    if (cause.kind === 'job') return this.#runJob(cause.job, batch.failures, signal)
    const hook = this.#byName.get(name)
    if (hook === undefined) return { kind: 'done' }
    if (cause.kind === 'enable-kubernetes') return this.#enableKubernetes(hook)
    if (cause.kind === 'enable-schedules') {
      this.schedule(hook)
      this.#startupTaskDone(hook)
      return { kind: 'done' }
    }
    const tasks = batch.tasks.filter((task) => isBoundTo(hook, task.cause))
    const [first] = tasks
    if (first === undefined) {
      if (cause.kind === 'startup') this.#startupTaskDone(hook)
      return { kind: 'done' }
    }
    const verdict = await this.#run(hook, { ...batch, first, tasks }, { queue, signal })
    if (verdict.kind === 'done' && cause.kind === 'startup') this.#startupTaskDone(hook)
    return verdict
  }

  async #run(
    hook: Hook,
    batch: Batch<Work>,
    {
      queue,
      signal,
      isPart = false,
    }: { readonly queue: string; readonly signal: AbortSignal; readonly isPart?: boolean },
  ): Promise<Verdict<Work>> {
    try {
      const verdict = await runBatch(hook, batch, queue, { ...this.#runContext, signal, isPart })
      if (verdict.kind === 'done') this.#releaseEvents(batch)
      return verdict
    } catch (error) {
      if (signal.aborted) return { kind: 'stopped' }
      this.#options.runtime.log.error('hook could not be run: retrying', { hook: hook.name, queue, error })
      return { kind: 'failed' }
    }
  }

  async #runJob(job: QueueJob, failures: number, signal: AbortSignal): Promise<Verdict<Work>> {
    const failed = (why: object): void => {
      const fields = {
        task: job.type,
        name: job.name,
        ...retryFields({ allowFailure: false }, this.#options.retry, failures),
        ...why,
      }
      this.#options.runtime.log.error('failed: retrying', fields)
    }
    try {
      const { outcome, next = [] } = await job.work(signal)
      if (outcome === 'failed' && !signal.aborted) failed({})
      if (outcome !== 'done') return { kind: signal.aborted ? 'stopped' : outcome }
      return { kind: 'done', next: next.map((one) => jobTask(this.#newId(), one)) }
    } catch (error) {
      if (signal.aborted) return { kind: 'stopped' }
      failed({ error })
      return { kind: 'failed' }
    }
  }

  async #enableKubernetes(hook: Hook): Promise<Verdict<Work>> {
    const listed = await this.#subscriptions.enable(hook)
    if (listed === undefined) return { kind: 'stopped' }
    this.#startupTaskDone(hook)
    return { kind: 'done', next: listed.map((subscription) => subscription.synchronization()) }
  }

  #startupTaskDone(hook: Hook): void {
    const left = (this.#startupTasks.get(hook.name) ?? 0) - 1
    if (left > 0) this.#startupTasks.set(hook.name, left)
    else this.#startupTasks.delete(hook.name)
    if (this.#startupTasks.size === 0) this.#becomeReady()
  }

  /** Releases the events held back until the Synchronization run succeeded. */
  #releaseEvents({ first, tasks }: Batch<Work>): void {
    for (const { cause } of tasks) {
      if (cause.kind !== 'synchronization') continue
      const subscription = this.#subscriptions.of(first.hook).find(({ monitor }) => monitor.binding === cause.binding)
      subscription?.release()
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

/** False when the hook was edited since and has the binding no longer. */
function isBoundTo({ config }: Hook, cause: Work): boolean {
  if (cause.kind === 'schedule') return config.schedules.includes(cause.binding)
  if (cause.kind === 'event' || cause.kind === 'synchronization') return config.kubernetes.includes(cause.binding)
  return cause.kind !== 'startup' || config.onStartup !== undefined
}

/** The onStartup hooks by order; hooks of the same order keep their position. */
export function startupHooks(hooks: readonly Hook[]): readonly Hook[] {
  return inOrder(hooks, ({ config }) => config.onStartup)
}

/** The hooks that have an order, ascending. */
export function inOrder(hooks: readonly Hook[], orderOf: (hook: Hook) => number | undefined): readonly Hook[] {
  return hooks
    .filter((hook) => orderOf(hook) !== undefined)
    .toSorted((one, other) => (orderOf(one) ?? 0) - (orderOf(other) ?? 0))
}
