/**
 * One `kubernetes` binding of a hook: first it gets the list, then, unless disabled, a Synchronization run, and only after that single
 * events. Earlier events are held back.
 */
import type { Runtime } from '../../../runtime/index.ts'
import type { Cause } from '../contexts/cause.ts'
import type { Hook } from '../hook.ts'
import { Backlog } from '../queues/backlog.ts'
import type { Monitor, ObjectEvent } from '../watching/monitor.ts'
import type { RunLabels } from './metrics.ts'
import { type HookTask, runTask, supersede, type Work } from './work.ts'

export interface SubscriptionOutlet {
  readonly runtime: Pick<Runtime, 'clock' | 'log'>
  /** Reports how long an event took from the watch to its queue. */
  handled(labels: RunLabels, milliseconds: number): void
  newId(): string
  /** Puts a task at the end of a queue. */
  put(queue: string, task: HookTask): void
  /** The list arrived after the hook was enabled. */
  listedLate(subscription: Subscription): void
}

export class Subscription {
  /** The current version of the hook. */
  hook: Hook
  readonly monitor: Monitor
  readonly #outlet: SubscriptionOutlet
  readonly #held = new Backlog<Work>(supersede)
  #state: 'waiting' | 'listed' | 'live' = 'waiting'
  #isEnabling = true

  constructor(hook: Hook, monitor: Monitor, outlet: SubscriptionOutlet) {
    this.hook = hook
    this.monitor = monitor
    this.#outlet = outlet
  }

  get labels(): RunLabels {
    const { name, queue } = this.monitor.binding
    return { hook: this.hook.name, binding: name, queue }
  }

  /** Waits for the list, but not for a kind that is not served; true when a Synchronization run is due. */
  async enable(): Promise<boolean> {
    if (!this.#isEnabling) return this.#state === 'listed'
    await this.monitor.settled()
    this.monitor.listen({ listed: () => this.#listed(), event: (event) => this.#event(event) })
    this.#isEnabling = false
    return this.#state === 'listed'
  }

  /** The Synchronization run has succeeded: events are queued from now on. */
  release(): void {
    if (this.#state === 'live') return
    this.#state = 'live'
    for (let held = this.#held.shift(); held !== undefined; held = this.#held.shift()) this.#put(held.task)
  }

  synchronization(): HookTask {
    return this.#task({ kind: 'synchronization', binding: this.monitor.binding })
  }

  #listed(): void {
    const { executeHookOnSynchronization } = this.monitor.binding
    if (this.hook.config.version === 'v0' || !executeHookOnSynchronization) {
      this.release()
      return
    }
    this.#state = 'listed'
    if (!this.#isEnabling) this.#outlet.listedLate(this)
  }

  #event(event: ObjectEvent): void {
    const { binding } = this.monitor
    if (!binding.executeHookOnEvent.includes(event.watchEvent)) return
    const { clock, log } = this.#outlet.runtime
    const begun = clock.monotonic()
    if (!binding.disableDebug)
      log.debug('object event', { ...this.labels, event: event.watchEvent, object: event.seen.key })
    const task = this.#task({ kind: 'event', binding, event })
    if (this.#state === 'live') this.#put(task)
    else this.#held.push(task, 0, 0)
    this.#outlet.handled(this.labels, clock.monotonic() - begun)
  }

  #put(task: HookTask): void {
    this.#outlet.put(this.monitor.binding.queue, task)
  }

  #task(cause: Cause): HookTask {
    return runTask(this.#outlet.newId(), this.hook, cause)
  }
}
