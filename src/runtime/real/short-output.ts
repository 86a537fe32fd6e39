/** The two pipes that a program prints to which somebody else starts, who opens them by their paths. */
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { concat } from '../bytes.ts'
import type { Printed } from '../processes.ts'
import type { PipePair } from './shell-lane.ts'

/** Read in one go: as much as a pipe holds. */
const block = new Uint8Array(64 * 1024)

/** Bytes of one of them beyond which the program has to wait, and is not short. */
const most = 2 * 1024 * 1024

export class ShortOutput {
  readonly paths: PipePair
  readonly #descriptors: readonly number[]
  #chunks: readonly Uint8Array[][] = [[], []]

  constructor(paths: PipePair) {
    this.paths = paths
    // Without a reader the program could not even open them, and this one must not wait for it.
    this.#descriptors = paths.map((path) => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK))
  }

  /** Takes what is there; whether that is all, for nobody has them open any more. */
  take(): boolean {
    const ends = this.#descriptors.map((descriptor, index) => takeAll(descriptor, this.#chunks[index] ?? []))
    return ends.every((isEnd) => isEnd)
  }

  /** All that a program printed which is over. Undefined when somebody still has them open: they are not to be used again. */
  finish(): Printed | undefined {
    if (!this.take()) return undefined
    const [stdout = [], stderr = []] = this.#chunks
    this.#chunks = [[], []]
    return { stdout: concat(stdout), stderr: concat(stderr) }
  }

  close(): void {
    for (const descriptor of this.#descriptors) closeSync(descriptor)
  }
}

function takeAll(descriptor: number, chunks: Uint8Array[]): boolean {
  while (chunks.reduce((size, { length }) => size + length, 0) < most) {
    const size = readNow(descriptor)
    if (size === undefined) return false
    if (size === 0) return true
    chunks.push(block.slice(0, size))
  }
  return false
}

/** How many bytes there were; 0 when nobody has it open for writing, undefined when somebody may still write. */
function readNow(descriptor: number): number | undefined {
  try {
    return readSync(descriptor, block)
  } catch {
    return undefined
  }
}
