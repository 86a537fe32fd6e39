/**
 * Leader election with a Lease. The leader's work stops before another process can begin, whatever happens to the network or to clocks.
 */
import { CarabinerError, checkMs, type Gauge, type Runtime } from '../../runtime/index.ts'
import type { ResourceClient } from '../client/client.ts'
import { isAlreadyExists, isConflict, isNotFound } from '../errors.ts'
import { IdleTimeout } from '../idle-timeout.ts'
import type { Lease } from '../kinds/index.ts'
import { claim, isTaken, type LeaseObservation, observeLease, released } from './claim.ts'
import type { Leadership, LeadershipOptions } from './lease.ts'

export function createLeadership(
  client: ResourceClient<Lease>,
  runtime: Runtime,
  options: LeadershipOptions,
): Leadership {
  checkMs(options, ['duration', 'renewDeadline', 'renewPeriod', 'retryPeriod'])
  return new LeaseLeadership(client, runtime, options)
}

/** The jitter of client-go. */
const jitter = 1.2

class LeaseLeadership implements Leadership {
  readonly #client: ResourceClient<Lease>
  readonly #runtime: Runtime
  readonly #options: Required<LeadershipOptions>
  readonly #log: Runtime['log']
  readonly #gauge: Gauge
  #seen: LeaseObservation | undefined
  #held: Lease | undefined
  /** The holder that was logged last. */
  #loggedHolder: string | undefined

  constructor(client: ResourceClient<Lease>, runtime: Runtime, options: LeadershipOptions) {
    this.#client = client
    this.#runtime = runtime
    this.#options = {
      duration: 15_000,
      renewDeadline: 10_000,
      renewPeriod: 4_000,
      retryPeriod: 2_000,
      about: {},
      ...options,
    }
    this.#log = runtime.log.with({ lease: `${options.namespace}/${options.name}`, identity: options.identity })
    this.#gauge = runtime.metrics.gauge({
      name: 'carabiner_leader',
      help: 'Whether this process holds the lease.',
      labels: ['lease'],
    })
    this.#setHeld(undefined)
  }

  get leading(): boolean {
    return this.#held !== undefined
  }

  async run(work: (signal: AbortSignal) => Promise<void>, until: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([until])
    while (!signal.aborted) {
      const since = await this.#acquire(signal)
      if (since === undefined) return
      this.#log.info('leading')
      this.#loggedHolder = undefined
      const lost = await this.#lead(work, since, signal)
      if (!lost) return
      this.#log.warn('lease lost')
    }
  }

  /** Resolves with the time from which the lease is held, or with undefined when the signal aborted. */
  async #acquire(signal: AbortSignal): Promise<number | undefined> {
    const { clock, random } = this.#runtime
    while (!signal.aborted) {
      const since = clock.monotonic()
      try {
        const lease = await this.#withTimeout(signal, (limit) => this.#take(limit))
        if (lease !== undefined) {
          this.#setHeld(lease)
          return since
        }
      } catch (error) {
        const isContended = isConflict(error) || isAlreadyExists(error)
        if (!signal.aborted && !isContended) this.#log.warn('lease not acquired', { error })
      }
      await clock.sleep(this.#options.retryPeriod * (1 + random.next() * jitter), signal).catch(() => undefined)
    }
    return undefined
  }

  /** Runs the work to its end; resolves with whether the lease was lost before. */
  async #lead(work: (signal: AbortSignal) => Promise<void>, since: number, signal: AbortSignal): Promise<boolean> {
    const lost = new AbortController()
    const ended = new AbortController()
    const renewing = this.#renew(since, lost, ended.signal)
    try {
      await work(AbortSignal.any([signal, lost.signal]))
    } catch (error) {
      // Aborted work may reject.
      if (!signal.aborted && !lost.signal.aborted) throw error
    } finally {
      ended.abort()
      await renewing
      if (!lost.signal.aborted) await this.#release()
      this.#setHeld(undefined)
    }
    return lost.signal.aborted
  }

  async #renew(since: number, lost: AbortController, ended: AbortSignal): Promise<void> {
    const { clock } = this.#runtime
    const { renewDeadline, renewPeriod, retryPeriod, namespace, name } = this.#options
    const lose = () => {
      this.#setHeld(undefined)
      lost.abort(new CarabinerError('CRB_LEASE_LOST', `The lease ${namespace}/${name} was lost.`))
    }
    const deadlineFrom = (renewed: number) => clock.after(renewed + renewDeadline - clock.monotonic(), lose)
    let deadline = deadlineFrom(since)
    const over = AbortSignal.any([ended, lost.signal])
    let pause = renewPeriod
    while (!over.aborted) {
      await clock.sleep(pause, over).catch(() => undefined)
      if (over.aborted) break
      pause = renewPeriod
      // Measured from before the request: other processes measure from when they observe the renewal, which is later.
      const begun = clock.monotonic()
      try {
        const lease = await this.#withTimeout(over, (limit) => this.#renewOnce(limit))
        if (over.aborted) break
        if (lease === undefined) lose()
        else {
          this.#setHeld(lease)
          deadline.cancel()
          deadline = deadlineFrom(begun)
        }
      } catch (error) {
        // Measured from its start: a hanging renewal has used up the retry period.
        pause = Math.max(0, begun + retryPeriod - clock.monotonic())
        if (!over.aborted) this.#log.warn('lease not renewed', { error })
      }
    }
    deadline.cancel()
  }

  /** Acquires the lease if it is free; undefined when another process holds it. */
  async #take(signal: AbortSignal): Promise<Lease | undefined> {
    const { namespace, name, identity, duration, about } = this.#options
    const { clock } = this.#runtime
    const found = await this.#client.get(name, { namespace, signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined
      throw error
    })
    if (found === undefined) {
      const spec = claim(undefined, identity, duration, clock.now())
      const metadata = { name, namespace, ...about }
      return this.#client.create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }, { signal })
    }
    this.#seen = observeLease(found, this.#seen, clock.monotonic())
    if (isTaken(found, this.#seen, identity, clock.monotonic())) {
      this.#logHolder(found.spec?.holderIdentity)
      return undefined
    }
    return this.#update(found, signal)
  }

  /** Once per holder: without a log line a waiting process looks as if it hung. */
  #logHolder(holder: string | undefined): void {
    if (holder === this.#loggedHolder) return
    this.#loggedHolder = holder
    this.#log.info('standing by: another process holds the lease', { holder })
  }

  /** Renews the held lease; undefined when another process holds it or held it in between. */
  async #renewOnce(signal: AbortSignal): Promise<Lease | undefined> {
    const { namespace, name, identity } = this.#options
    if (this.#held === undefined) return undefined
    try {
      return await this.#update(this.#held, signal)
    } catch (error) {
      // Someone deleted it: acquiring it is as good as renewing it.
      if (isNotFound(error)) return this.#take(signal)
      if (!isConflict(error)) throw error
    }
    const found = await this.#client.get(name, { namespace, signal })
    return found.spec?.holderIdentity === identity ? this.#update(found, signal) : undefined
  }

  /** The resourceVersion guards the write: of two candidates one gets a conflict. */
  #update(lease: Lease, signal: AbortSignal): Promise<Lease> {
    const { identity, duration, about } = this.#options
    const spec = claim(lease.spec, identity, duration, this.#runtime.clock.now())
    const metadata = {
      ...lease.metadata,
      labels: { ...lease.metadata.labels, ...about.labels },
      annotations: { ...lease.metadata.annotations, ...about.annotations },
    }
    return this.#client.update({ ...lease, metadata, spec }, { signal })
  }

  async #release(): Promise<void> {
    const held = this.#held
    if (held === undefined) return
    try {
      const spec = released(held.spec, this.#runtime.clock.now())
      await this.#withTimeout(new AbortController().signal, (signal) =>
        this.#client.update({ ...held, spec }, { signal }),
      )
    } catch (error) {
      this.#log.warn('lease not released', { error })
    }
  }

  /** A hanging connection must not use up the whole deadline. */
  async #withTimeout<T>(parent: AbortSignal, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const timeout = new IdleTimeout(this.#runtime.clock, parent, this.#options.renewDeadline / 2)
    try {
      return await attempt(timeout.signal)
    } finally {
      timeout.end()
    }
  }

  #setHeld(lease: Lease | undefined): void {
    this.#held = lease
    const { namespace, name } = this.#options
    this.#gauge.set(lease === undefined ? 0 : 1, { lease: `${namespace}/${name}` })
  }
}
