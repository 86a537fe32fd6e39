/** Knows when a cluster has come to rest: nobody has written anything for a while, but for events and the leases of nodes. */
import type { Clock } from '../../src/runtime/clock.ts'
import type { AuditEntry } from '../../src/sandbox/apiserver/audit/audit.ts'

const reads = new Set(['get', 'list', 'watch'])
const besides = new Set(['events', 'leases'])

export class Stillness {
  readonly #clock: Clock
  #lastWrite = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  readonly audit = ({ verb, resource }: AuditEntry): void => {
    if (!reads.has(verb) && !besides.has(resource)) this.#lastWrite = this.#clock.monotonic()
  }

  /** Resolves when so many seconds have passed without a write. */
  async reached(seconds: number): Promise<void> {
    for (;;) {
      const left = this.#lastWrite + seconds * 1000 - this.#clock.monotonic()
      if (left <= 0) return
      await this.#clock.sleep(left)
    }
  }
}
