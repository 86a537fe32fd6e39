/**
 * Standard streams as programs know them from a shell: a file for input, true pipes for output. Node's own are sockets, and with
 * those bash reads the user's start-up files, and a script that writes to /dev/stderr fails.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import type { ProcessOutput } from './output.ts'
import { OutputPipe } from './pipe.ts'

/** Creating them takes another program, so they are made in stock and used again. */
const stockSize = 32
/** The stock of whoever knows that much is to come. */
export const largeStock = 64

export interface OpenPipe {
  /** For whoever opens it by itself. */
  readonly path: string
  /** What the process gets; to be closed here once it has started. */
  readonly descriptor: number
  readonly pipe: OutputPipe
}

export class StandardStreams {
  #folder: string | undefined
  readonly #stock: string[] = []
  #count = 0
  #stocking: Promise<void> | undefined
  // A worker thread closes at its end whatever descriptors it believes open, also those that a socket has closed long ago.
  #possible = isMainThread

  /** A descriptor that reads `content` from its start. The file has no name any more. */
  openInput(content: Uint8Array): number {
    const path = join(tmpdir(), `carabiner-input-${randomUUID()}`)
    const descriptor = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    // At a position of its own, so that the process begins to read at 0.
    for (let done = 0; done < content.byteLength; )
      done += writeSync(descriptor, content, done, content.byteLength - done, done)
    return descriptor
  }

  /** Undefined where there is no way to make one (no `mkfifo`, a worker thread); Node's sockets must do then. */
  openOutput(output: ProcessOutput): OpenPipe | undefined {
    const [path] = this.take(1)
    if (path === undefined) return undefined
    // The reader must not wait for a writer here, and the writer finds the reader there already.
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const descriptor = openSync(path, constants.O_WRONLY)
    // It closes when nobody writes any more, and so the next one to open it gets a new pipe.
    return { path, descriptor, pipe: new OutputPipe(readEnd, output, () => this.giveBack(path)) }
  }

  /** Makes a large stock beside this thread, once. */
  stockUp(): Promise<void> {
    this.#stocking ??= this.#makeBeside(largeStock)
    return this.#stocking
  }

  async #makeBeside(count: number): Promise<void> {
    if (!this.#possible) return
    try {
      const paths = this.#newPaths(count)
      const [code] = await once(spawn(...makingOf(paths), { stdio: 'ignore' }), 'exit')
      if (code === 0) this.giveBack(...paths)
    } catch {
      // Whoever needs one will try again, and say why it cannot be had.
    }
  }

  /** Paths of so many pipes that nobody has open; none where they cannot be made. */
  take(count: number): readonly string[] {
    if (this.#stock.length < count && this.#possible) this.#make(Math.max(count, stockSize))
    return this.#stock.length < count ? [] : this.#stock.splice(-count)
  }

  /** Pipes that nobody has open any more. */
  giveBack(...paths: readonly string[]): void {
    this.#stock.push(...paths)
  }

  #make(count: number): void {
    const paths = this.#newPaths(count)
    this.#possible = spawnSync(...makingOf(paths)).status === 0
    if (this.#possible) this.giveBack(...paths)
  }

  #newPaths(count: number): readonly string[] {
    const folder = this.#ownFolder()
    return Array.from({ length: count }, () => join(folder, `output-${this.#count++}`))
  }

  #ownFolder(): string {
    if (this.#folder === undefined) {
      const folder = mkdtempSync(join(tmpdir(), 'carabiner-streams-'))
      this.#folder = folder
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    }
    return this.#folder
  }
}

/** The program is part of every Unix; Node has no call for it. */
function makingOf(paths: readonly string[]): [program: string, args: string[]] {
  return ['mkfifo', ['-m', '600', ...paths]]
}

/** Closes what was opened for a process, whether or not it started. */
export function closeAll(descriptors: readonly (number | undefined)[]): void {
  for (const descriptor of descriptors) if (descriptor !== undefined) closeSync(descriptor)
}
