/** The two output pipes of a program that a shell starts; the shell opens them by their paths. */
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { concat } from '../bytes.ts'
import type { ProgramOutput } from '../processes.ts'
import type { PipePair } from './shell-lane.ts'

/** As large as the capacity of a pipe. */
const block = new Uint8Array(64 * 1024)

/** When one stream has more output, reading stops; the program blocks until the time limit and counts as not short. */
const maxOutputBytes = 2 * 1024 * 1024

export class ShortOutput {
  readonly paths: PipePair
  readonly #descriptors: readonly number[]
  #chunks: readonly Uint8Array[][] = [[], []]

  constructor(paths: PipePair) {
    this.paths = paths
    // Opening a pipe for writing blocks until it is open for reading; non-blocking, so that this process does not wait.
    this.#descriptors = paths.map((path) => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK))
  }

  /** Reads the available output; true when no process has the pipes open for writing. */
  take(): boolean {
    const ends = this.#descriptors.map((descriptor, index) => takeAll(descriptor, this.#chunks[index] ?? []))
    return ends.every((isEnd) => isEnd)
  }

  /** The whole output of an ended program. Undefined when another process still has the pipes open: they must not be used again. */
  finish(): ProgramOutput | undefined {
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
  while (chunks.reduce((size, { length }) => size + length, 0) < maxOutputBytes) {
    const size = readNow(descriptor)
    if (size === undefined) return false
    if (size === 0) return true
    chunks.push(block.slice(0, size))
  }
  return false
}

/** The number of bytes read; 0 when no process has the pipe open for writing, undefined when one still has. */
function readNow(descriptor: number): number | undefined {
  try {
    return readSync(descriptor, block)
  } catch {
    return undefined
  }
}
