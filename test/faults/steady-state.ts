/**
 * Detects the steady state of a cluster: no writes for a while except events and node leases. Fails after too many writes, because
 * controllers that overwrite each other never let time pass.
 */
import type { Clock } from '../../src/runtime/clock.ts'
import type { AuditEntry } from '../../src/sandbox/apiserver/audit/audit.ts'

const reads = new Set(['get', 'list', 'watch'])
const besides = new Set(['events', 'leases'])

/** Many times the writes of the longest scenario. */
const maxWrites = 3_000

export class SteadyStateDetector {
  /** Rejects when there were too many writes. */
  readonly failed: Promise<never>
  readonly #clock: Clock
  #lastWrite = 0
  #writes = 0
  #giveUp: (why: Error) => void = () => undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.failed = new Promise((_, reject) => {
      this.#giveUp = reject
    })
    this.failed.catch(() => undefined)
  }

  readonly audit = ({ verb, resource }: AuditEntry): void => {
    if (reads.has(verb) || besides.has(resource)) return
    this.#lastWrite = this.#clock.monotonic()
    this.#writes++
    if (this.#writes > maxWrites) this.#giveUp(new Error(`no steady state after ${maxWrites} writes`))
  }

  /** Resolves after `seconds` without a write. */
  async reached(seconds: number): Promise<void> {
    for (;;) {
      const left = this.#lastWrite + seconds * 1000 - this.#clock.monotonic()
      if (left <= 0) return
      await this.#clock.sleep(left)
    }
  }
}
