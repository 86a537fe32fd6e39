/**
 * Places for runs that begin at the same time. A place is lent, not owned: whoever waits for something gives it away after a while and
 * goes on without, so that items which wait never hold up those which could work.
 */
import type { Clock } from '../../runtime/clock.ts'

const lentFor = 1_000

export class Slots {
  readonly #clock: Clock
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(clock: Clock, places: number) {
    this.#clock = clock
    this.#free = places
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let isHeld = true
    const giveBack = () => {
      if (!isHeld) return
      isHeld = false
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
    const timer = this.#clock.after(lentFor, giveBack)
    try {
      return await work()
    } finally {
      timer.cancel()
      giveBack()
    }
  }
}
