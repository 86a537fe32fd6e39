/**
 * Knows when a cluster has come to rest: nobody has written anything for a while, but for events and the leases of nodes. Knows as well when
 * it never will, for those who write at once what others have written over let no time pass.
 */
import type { Clock } from '../../src/runtime/clock.ts'
import type { AuditEntry } from '../../src/sandbox/apiserver/audit/audit.ts'

const reads = new Set(['get', 'list', 'watch'])
const besides = new Set(['events', 'leases'])

/** Many times what the longest of plays writes. */
const mostWrites = 3_000

export class Stillness {
  /** Rejects when there were too many writes. */
  readonly unrest: Promise<never>
  readonly #clock: Clock
  #lastWrite = 0
  #writes = 0
  #giveUp: (why: Error) => void = () => undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.unrest = new Promise((_, reject) => {
      this.#giveUp = reject
    })
    this.unrest.catch(() => undefined)
  }

  readonly audit = ({ verb, resource }: AuditEntry): void => {
    if (reads.has(verb) || besides.has(resource)) return
    this.#lastWrite = this.#clock.monotonic()
    this.#writes++
    if (this.#writes > mostWrites) this.#giveUp(new Error(`no rest after ${mostWrites} writes`))
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
