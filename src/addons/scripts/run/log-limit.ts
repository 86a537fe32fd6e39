/**
 * How much a run may write to the operator's log: a hook in a loop must neither fill the disk of the log nor displace the lines of others. A run
 * may write 4 MiB at once and then 256 KiB per second, 64 MiB in all. A character counts as one byte.
 */
import type { Clock } from '../../../runtime/index.ts'

const mebibyte = 1 << 20
const burstBytes = 4 * mebibyte
const bytesPerSecond = mebibyte / 4
const totalBytes = 64 * mebibyte
/** After an omission, lines are written again when there is room for this much, so that not every other line says that some were omitted. */
const resumeBytes = mebibyte
/** What a line takes in the log besides its text. */
const lineBytes = 200

export class LogLimit {
  readonly #clock: Pick<Clock, 'monotonic'>
  #left = totalBytes
  #room = burstBytes
  #at: number
  #isFull = false

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
    this.#at = clock.monotonic()
  }

  /** Whether a line of this many characters is written. */
  admits(characters: number): boolean {
    const now = this.#clock.monotonic()
    this.#room = Math.min(burstBytes, this.#room + ((now - this.#at) / 1000) * bytesPerSecond)
    this.#at = now
    const size = characters + lineBytes
    if (this.#isFull && this.#room < resumeBytes) return false
    this.#isFull = size > this.#room || size > this.#left
    if (this.#isFull) return false
    this.#room -= size
    this.#left -= size
    return true
  }
}
