/**
 * The reading end of an output pipe. Most hooks end quickly and print little: their output is read from the pipe when they end, which is
 * cheaper than a stream. Only the output of a longer process is streamed.
 */
import { closeSync, readSync } from 'node:fs'
import { Socket } from 'node:net'
import type { ProcessOutput } from './output.ts'

/** As large as the capacity of a pipe. */
const block = new Uint8Array(64 * 1024)

/** After this many full blocks a child must still be writing, so the rest is streamed. */
const maxBlocks = 4

export class OutputPipe {
  readonly #descriptor: number
  readonly #output: ProcessOutput
  readonly #closed: () => void
  #isHeld = true

  /** `descriptor` must be non-blocking; `closed` is called when no process writes to the pipe and it is closed. */
  constructor(descriptor: number, output: ProcessOutput, closed: () => void) {
    this.#descriptor = descriptor
    this.#output = output
    this.#closed = closed
  }

  /** Streams the output from now on. */
  follow(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    const reader = new Socket({ fd: this.#descriptor, readable: true, writable: false })
    this.#output.follow(reader)
    reader.once('close', this.#closed)
  }

  /** Called when the process has ended or could not start: reads the rest, or streams it if a child still writes. */
  readRest(): void {
    for (let blocks = 0; this.#isHeld && blocks < maxBlocks; blocks++) {
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

/** The number of bytes read; 0 when no process has the pipe open for writing, undefined when one still has. */
function readNow(descriptor: number): number | undefined {
  try {
    return readSync(descriptor, block)
  } catch {
    return undefined
  }
}
