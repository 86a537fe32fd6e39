/**
 * Writes events for `kubectl describe`. Nothing waits for them: one writer writes the recorded events in order, retries what may succeed later,
 * and counts what it drops.
 */
import type { Counter, Runtime } from '../../runtime/index.ts'
import type { ResourceClient } from '../client/client.ts'
import { ApiError, isNotFound } from '../errors.ts'
import type { Event, ObjectReference } from '../kinds/index.ts'
import type { KubeObject } from '../object.ts'
import type { BackgroundQueue } from '../queue/background-queue.ts'
import { microTime } from '../time.ts'
import { Correlator, type Series } from './correlator.ts'
import { draft } from './draft.ts'
import { type EventInput, type EventRecorder, regardingOf } from './event.ts'

export interface EventRecorderOptions {
  /** The reporting controller, as a qualified name: `carabiner.dev/rollouts`. */
  readonly controller: string
  /** The process of the controller. */
  readonly instance: string
  /** After it aborts, events are dropped. */
  readonly signal: AbortSignal
  /** Writes events at low priority. @default each as soon as the one before is written */
  readonly background?: BackgroundQueue
}

/** Further events are dropped. */
const maxQueuedEvents = 4_000
const maxAttempts = 6
/** Multiplied with a random number up to 2. */
const retryPauseMs = 5_000

export function createEventRecorder(
  client: ResourceClient<Event>,
  runtime: Runtime,
  options: EventRecorderOptions,
): EventRecorder {
  return new Recorder(client, runtime, options)
}

class Recorder implements EventRecorder {
  readonly #client: ResourceClient<Event>
  readonly #runtime: Runtime
  readonly #options: EventRecorderOptions
  readonly #correlator = new Correlator()
  readonly #waiting = new Set<Series>()
  readonly #dropped: Counter
  #writer: Promise<void> | undefined

  constructor(client: ResourceClient<Event>, runtime: Runtime, options: EventRecorderOptions) {
    this.#client = client
    this.#runtime = runtime
    this.#options = { ...options, signal: follow(options.signal) }
    this.#dropped = runtime.metrics.counter({
      name: 'carabiner_events_dropped_total',
      help: 'Events that were not written, by reason.',
      labels: ['reason'],
    })
  }

  record(about: KubeObject | ObjectReference, input: EventInput): void {
    try {
      this.#take(regardingOf(about), input)
    } catch (error) {
      this.#drop('invalid')
      this.#runtime.log.error('event not recorded', { error })
    }
  }

  async flush(): Promise<void> {
    while (this.#writer !== undefined) await this.#writer
  }

  #take(regarding: ObjectReference, input: EventInput): void {
    const series = this.#correlator.correlate(regarding, input, this.#runtime.clock.now())
    if (series === undefined) this.#drop('spam')
    else if (this.#options.signal.aborted) this.#drop('stopped')
    else if (this.#waiting.size >= maxQueuedEvents && !this.#waiting.has(series)) this.#drop('full')
    else {
      this.#waiting.add(series)
      this.#writer ??= this.#writeAll()
    }
  }

  async #writeAll(): Promise<void> {
    // Events recorded in the same turn are correlated before the first write.
    await Promise.resolve()
    for (const series of this.#waiting) {
      this.#waiting.delete(series)
      if (this.#options.signal.aborted) this.#drop('stopped')
      else await (this.#options.background?.run(() => this.#write(series)) ?? this.#write(series))
    }
    this.#writer = undefined
  }

  async #write(series: Series): Promise<void> {
    const { clock, random, log } = this.#runtime
    const { signal } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#send(series, signal)
        return
      } catch (error) {
        if (signal.aborted || attempt === maxAttempts || isFinal(error)) {
          this.#drop(signal.aborted ? 'stopped' : 'refused')
          log.debug('event not written', { error })
          return
        }
        await clock.sleep(random.next() * 2 * retryPauseMs, signal).catch(() => undefined)
      }
    }
  }

  async #send(series: Series, signal: AbortSignal): Promise<void> {
    const { namespace = 'default' } = series.regarding
    if (series.name !== undefined) {
      const value = { series: { count: series.count, lastObservedTime: microTime(series.last) } }
      try {
        await this.#client.patch(series.name, { type: 'merge', value }, { namespace, answer: 'metadata', signal })
        return
      } catch (error) {
        // The server deletes events after an hour: continue the series in a new one.
        if (!isNotFound(error)) throw error
      }
    }
    const event = draft(series, this.#options, this.#runtime.random)
    await this.#client.create(event, { answer: 'metadata', signal })
    series.name = event.metadata.name
  }

  #drop(reason: string): void {
    this.#dropped.add(1, { reason })
  }
}

/**
 * A separate signal with many listeners. One made with `AbortSignal.any` would be kept in memory by every listener that is never removed, and
 * with it everything a stopped recorder refers to.
 */
function follow(signal: AbortSignal): AbortSignal {
  const own = new AbortController()
  if (signal.aborted) own.abort(signal.reason)
  else signal.addEventListener('abort', () => own.abort(signal.reason), { once: true })
  return own.signal
}

/** The server would refuse the event again. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus < 500 && error.httpStatus !== 429 && error.httpStatus !== 401
}
