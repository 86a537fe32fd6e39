/**
 * The reading end of an output pipe. Most hooks are over at once and print little: what they left in the pipe is read when they end, which
 * spares a stream with all its machinery. Only a process that takes longer is followed while it prints.
 */
import { closeSync, readSync } from 'node:fs'
import { Socket } from 'node:net'
import type { ProcessOutput } from './output.ts'

/** Read in one go: as much as a pipe holds. */
const block = new Uint8Array(64 * 1024)

/** Blocks after which somebody must be writing on. */
const mostBlocks = 4

export class OutputPipe {
  readonly #descriptor: number
  readonly #output: ProcessOutput
  readonly #closed: () => void
  #isHeld = true

  /** `descriptor` must not wait; `closed` is told when nobody writes any more and it is closed. */
  constructor(descriptor: number, output: ProcessOutput, closed: () => void) {
    this.#descriptor = descriptor
    this.#output = output
    this.#closed = closed
  }

  /** From now on everything is taken as it comes. */
  follow(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    const reader = new Socket({ fd: this.#descriptor, readable: true, writable: false })
    this.#output.follow(reader)
    reader.once('close', this.#closed)
  }

  /** To be called when the process is over, or never began: takes what it left; whoever still writes is followed. */
  takeRest(): void {
    for (let blocks = 0; this.#isHeld && blocks < mostBlocks; blocks++) {
      const size = readNow(this.#descriptor)
      if (size === undefined) break
      if (size > 0) {
        this.#output.take(block.slice(0, size))
        continue
      }
      this.#isHeld = false
      closeSync(this.#descriptor)
      this.#output.end()
      this.#closed()
    }
    this.follow()
  }
}

/** How many bytes there were; 0 when nobody writes any more, undefined when somebody may. */
function readNow(descriptor: number): number | undefined {
  try {
    return readSync(descriptor, block)
  } catch {
    return undefined
  }
}
