/**
 * Limits the runs that work at the same time. A run gives its slot back after a while even if it is not done, so that runs that wait do not
 * block those that could work.
 */
import type { Clock } from '../../runtime/index.ts'

const maxHoldMs = 1_000

export class Slots {
  readonly #clock: Clock
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(clock: Clock, slots: number) {
    this.#clock = clock
    this.#free = slots
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
    const timer = this.#clock.after(maxHoldMs, release)
    try {
      return await work()
    } finally {
      timer.cancel()
      release()
    }
  }
}
