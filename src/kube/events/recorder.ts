/**
 * Writes events for people to read with `kubectl describe`. Nothing depends on them, so nothing waits for them: one writer works off what
 * was recorded, repeats what may succeed later, and drops the rest with a count.
 */
import type { Counter } from '../../runtime/metrics.ts'
import type { Runtime } from '../../runtime/runtime.ts'
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
  /** Who reports, as a qualified name: `carabiner.dev/rollouts`. */
  readonly controller: string
  /** Which process of it. */
  readonly instance: string
  /** Once aborted, nothing is written any more. */
  readonly signal: AbortSignal
  /** Writes events at low priority. @default each as soon as the one before is written */
  readonly background?: BackgroundQueue
}

/** Series waiting to be written; more are dropped. */
const longestQueue = 4_000
const attempts = 6
/** Milliseconds before a failed write is tried again, times a random number up to 2. */
const pause = 5_000

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
    else if (this.#waiting.size >= longestQueue && !this.#waiting.has(series)) this.#drop('full')
    else {
      this.#waiting.add(series)
      this.#writer ??= this.#writeAll()
    }
  }

  async #writeAll(): Promise<void> {
    // What is recorded in the same turn is written together with what caused it.
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
        if (signal.aborted || attempt === attempts || isFinal(error)) {
          this.#drop(signal.aborted ? 'stopped' : 'refused')
          log.debug('event not written', { error })
          return
        }
        await clock.sleep(random.next() * 2 * pause, signal).catch(() => undefined)
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
        // Events live for an hour on the server: the series goes on in a new one.
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
 * A signal of our own, which many may listen to. One made with `AbortSignal.any` would be kept alive by everyone who ever listened and
 * never stopped, and with it the whole world of a recorder that died while it waited.
 */
function follow(signal: AbortSignal): AbortSignal {
  const own = new AbortController()
  if (signal.aborted) own.abort(signal.reason)
  else signal.addEventListener('abort', () => own.abort(signal.reason), { once: true })
  return own.signal
}

/** What the server will say again however often it is asked. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus < 500 && error.httpStatus !== 429 && error.httpStatus !== 401
}
