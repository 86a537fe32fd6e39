/** The two pipes that a program prints to which somebody else starts, who opens them by their paths. */
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { concat } from '../bytes.ts'
import type { Printed } from '../processes.ts'

/** Read in one go: as much as a pipe holds. */
const block = new Uint8Array(64 * 1024)

/** Bytes of one of them beyond which the program has to wait, and is not short. */
const most = 2 * 1024 * 1024

export class ShortOutput {
  readonly paths: readonly [stdout: string, stderr: string]
  readonly #descriptors: readonly number[]
  readonly #chunks: readonly Uint8Array[][] = [[], []]

  constructor(paths: readonly [stdout: string, stderr: string]) {
    this.paths = paths
    // Without a reader the program could not even open them, and this one must not wait for it.
    this.#descriptors = paths.map((path) => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK))
  }

  /** Takes what is there; whether that is all, for nobody has them open any more. */
  take(): boolean {
    const ends = this.#descriptors.map((descriptor, index) => takeAll(descriptor, this.#chunks[index] ?? []))
    return ends.every((isEnd) => isEnd)
  }

  /** To be called when the program is over. Undefined when somebody else still has them open. */
  close(): Printed | undefined {
    const isAll = this.take()
    for (const descriptor of this.#descriptors) closeSync(descriptor)
    if (!isAll) return undefined
    const [stdout = [], stderr = []] = this.#chunks
    return { stdout: concat(stdout), stderr: concat(stderr) }
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
